/** What is done to data while postgres is stopped: scripts that the guard runs, in the image that has PostgreSQL's own programs. */

/** A new, empty cluster. It appears whole, or not at all. */
export const INITDB = `
set -e
rm -rf "$PGDATA.new"
initdb -D "$PGDATA.new" -U postgres --encoding=UTF8 --locale=C --data-checksums --auth-local=peer --auth-host=scram-sha-256
mv "$PGDATA.new" "$PGDATA"
sync
`;

/** A copy of somebody's data, as a standby. What was there before is gone at once: there may be no room for both. */
export const cloneFrom = (connection: string) => `
set -e
rm -rf "$PGDATA"
pg_basebackup -D "$PGDATA" -d '${connection}' -X stream -c fast
touch "$PGDATA/standby.signal"
sync
`;

/** Takes back what somebody else's log does not have. Recovery is not done in standby mode, so it is not one meanwhile. */
export const rewindTo = (connection: string) => `
set -e
rm -f "$PGDATA/standby.signal" "$PGDATA/recovery.signal"
pg_rewind -D "$PGDATA" --source-server='${connection}'
touch "$PGDATA/standby.signal"
sync
`;
