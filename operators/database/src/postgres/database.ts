/** The postgres of this pod, as its brain sees and moves it. The only one that knows both its files and its SQL. */
import { access, chmod, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ACCESS_RULES, type Configuration, configurationText } from './parameters.ts';
import { Session, type Socket } from './session.ts';

/** What postgres says of itself. */
export interface Sight {
  readonly inRecovery: boolean;
  readonly timeline: number;
  /** The end of what is on disk, in bytes; undefined while a standby still reads what it has. */
  readonly lsn: number | undefined;
  /** A standby receives, or may. */
  readonly receives: boolean;
  readonly streams: boolean;
  readonly systemId: string;
  /** How far behind it knows itself to be, in bytes. */
  readonly lag: number;
}

/** Of all that its own pod needs: with it, commits wait for the disk alone. */
const LOCALLY = 'SET synchronous_commit = local';

/** Where it is. */
export interface DatabasePlaces {
  readonly data: string;
  readonly socket: Socket;
}

export class Database {
  readonly #places: DatabasePlaces;
  readonly #looking: Session;
  readonly #writing: Session;
  readonly #probing: Session;
  #written = '';

  constructor(places: DatabasePlaces) {
    this.#places = places;
    this.#looking = new Session(places.socket);
    this.#writing = new Session(places.socket);
    this.#probing = new Session(places.socket);
  }

  /** Undefined while it gives no answer. */
  async look(patience = 2000): Promise<Sight | undefined> {
    const rows = await this.#looking.query(LOOK, [], patience).catch(() => undefined);
    const row = rows?.[0] as LookRow | undefined;
    if (!row) return undefined;
    const isAtEnd = row.received !== null || row.waiting;
    const lsn = !row.recovering || isAtEnd ? Number(row.lsn) : undefined;
    return {
      inRecovery: row.recovering,
      timeline: row.timeline,
      lsn,
      receives: row.receiver !== null || row.follows,
      streams: row.receiver === 'streaming',
      systemId: row.system,
      lag: Number(row.lag ?? 0),
    };
  }

  /** Writes postgresql.conf and pg_hba.conf, and what ALTER SYSTEM has left is taken away; true where something is new. */
  async configure(configuration: Configuration): Promise<boolean> {
    const text = configurationText(configuration);
    const { data } = this.#places;
    const present = await readFile(join(data, 'postgresql.conf'), 'utf8').catch(() => '');
    const isSame = present === text && this.#written === text;
    await replaceFile(join(data, 'postgresql.auto.conf'), '');
    if (isSame) return false;
    await replaceFile(join(data, 'pg_hba.conf'), ACCESS_RULES);
    await replaceFile(join(data, 'postgresql.conf'), text);
    this.#written = text;
    return present !== text;
  }

  async reload(): Promise<void> {
    await this.#looking.query('SELECT pg_reload_conf()');
  }

  /** As a standby that follows whom its configuration says. */
  async markStandby(): Promise<void> {
    await writeFile(join(this.#places.data, 'standby.signal'), '');
    await rm(join(this.#places.data, 'recovery.signal'), { force: true });
  }

  /** Until the end of its promotion. */
  async isMarkedStandby(): Promise<boolean> {
    return await access(join(this.#places.data, 'standby.signal')).then(
      () => true,
      () => false,
    );
  }

  async promote(): Promise<void> {
    await this.#writing.query('SELECT pg_promote(true, 60)', [], 65_000);
  }

  async checkpoint(): Promise<void> {
    await this.#writing.query('CHECKPOINT', [], 120_000);
  }

  /** Resolves once a standby that is to follow nobody any more receives nothing: neither its receiver nor who would start it is left. */
  async untilNothingComes(): Promise<void> {
    let quiet = 0;
    for (let tries = 0; tries < 30 && quiet < 3; tries++) {
      const sight = await this.look();
      quiet = sight && !sight.receives ? quiet + 1 : 0;
      await pause(50);
    }
  }

  /** A write to the disk of this pod, and to no other. */
  async probe(patience: number): Promise<void> {
    await this.#probing.query(LOCALLY, [], patience);
    await this.#probing.query("SELECT pg_logical_emit_message(true, 'kurator', '')", [], patience);
  }

  /** Resolves to true once as many replicas as are to be waited for have a write that began after this was called. */
  async confirm(patience: number): Promise<boolean> {
    const session = new Session(this.#places.socket);
    try {
      await session.query("SELECT pg_logical_emit_message(true, 'kurator', 'confirm')", [], patience);
      // A wait that was cut short ends like one that was not, but for the warning.
      return session.takeWarnings().length === 0;
    } catch {
      return false;
    } finally {
      await session.close();
    }
  }

  /**
   * Resolves once the postmaster goes by a configuration with these names, and the checkpointer, which says for all sessions whether they
   * wait at all: it reads what is new before it does what it is asked for.
   */
  async settle(synchronous: string): Promise<void> {
    for (let tries = 0; tries < 50; tries++) {
      const session = new Session(this.#places.socket);
      const rows = await session.query('SHOW synchronous_standby_names').finally(() => session.close());
      if (rows[0]?.synchronous_standby_names === synchronous) {
        await this.#writing.query('CHECKPOINT', [], 60_000);
        return;
      }
      await pause(100);
    }
    throw new Error(`postgres does not take up synchronous_standby_names = '${synchronous}'`);
  }

  /** So that no process is left that goes by an older configuration: those that begin anew have it from the postmaster. */
  async restartSenders(): Promise<void> {
    await this.#writing.query(
      "SELECT pg_terminate_backend(pid, 3000) FROM pg_stat_replication WHERE application_name <> 'pg_basebackup'",
      [],
      10_000,
    );
  }

  /** Runs statements that change roles and databases. Values never come from people, but for names that were checked. */
  async execute(text: string, database?: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const session = database ? new Session(this.#places.socket, database) : this.#writing;
    try {
      return await session.query(text, [], 30_000);
    } finally {
      if (database) await session.close();
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#looking.close(), this.#writing.close(), this.#probing.close()]);
  }
}

interface LookRow {
  readonly recovering: boolean;
  readonly timeline: number;
  readonly lsn: string | null;
  readonly received: string | null;
  readonly waiting: boolean;
  readonly receiver: string | null;
  readonly follows: boolean;
  readonly system: string;
  readonly lag: string | null;
}

/** One question for all. A standby is at the end of what it has once its startup process waits for more. */
const LOOK = `
SELECT pg_is_in_recovery() AS recovering,
  CASE WHEN pg_is_in_recovery()
    THEN coalesce((SELECT received_tli FROM pg_stat_wal_receiver), (SELECT timeline_id FROM pg_control_checkpoint()))
    ELSE (SELECT timeline_id FROM pg_control_checkpoint()) END AS timeline,
  (CASE WHEN pg_is_in_recovery()
    THEN greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn())
    ELSE pg_current_wal_flush_lsn() END - '0/0')::text AS lsn,
  CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn()::text END AS received,
  EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'startup'
    AND wait_event IN ('RecoveryWalStream', 'RecoveryRetrieveRetryInterval')) AS waiting,
  (SELECT status FROM pg_stat_wal_receiver) AS receiver,
  current_setting('primary_conninfo') <> '' AS follows,
  (SELECT system_identifier::text FROM pg_control_system()) AS system,
  (SELECT (latest_end_lsn - pg_last_wal_replay_lsn())::text FROM pg_stat_wal_receiver) AS lag`;

async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await chmod(`${path}.new`, 0o600);
  await rename(`${path}.new`, path);
}
