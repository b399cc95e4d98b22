/** The roles and databases that a cluster has from its beginning, with the passwords of its Secrets. */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Identity } from '../identity.ts';
import type { Database } from '../postgres/database.ts';
import { scramVerifier } from '../postgres/scram.ts';

const REPLICATOR = 'replicator';

/** What pg_rewind reads with. */
const REWINDS = [
  'pg_ls_dir(text, boolean, boolean)',
  'pg_stat_file(text, boolean)',
  'pg_read_binary_file(text)',
  'pg_read_binary_file(text, bigint, bigint, boolean)',
];

export interface Passwords {
  readonly superuser: string;
  readonly app: string;
  readonly replication: string;
}

export async function readPasswords(folder: string): Promise<Passwords> {
  const read = async (path: string) => (await readFile(join(folder, path), 'utf8')).trim();
  return {
    superuser: await read('superuser/password'),
    app: await read('app/password'),
    replication: await read('internal/replication'),
  };
}

export const readToken = async (folder: string): Promise<string> =>
  (await readFile(join(folder, 'internal/token'), 'utf8')).trim();

export const digestOf = (passwords: Passwords): string =>
  createHash('sha256').update(JSON.stringify(passwords)).digest('hex');

/** Where programs of PostgreSQL look for the password of replication: no command line and no configuration has it. */
export async function writePasswordFile(path: string, { replication }: Passwords): Promise<void> {
  await writeFile(path, `*:*:*:${REPLICATOR}:${replication.replaceAll(/[\\:]/g, '\\$&')}\n`, { mode: 0o600 });
}

/** Where the postgres of an instance is found, and its brain. */
export interface Address {
  readonly host: string;
  readonly port: number;
  /** An URL. */
  readonly brain: string;
}

/** How an instance reaches another one: for streaming, for a clone and for a rewind. */
export const connectionTo = ({ host, port }: Address, as: string, passwordFile: string): string =>
  Object.entries({
    host,
    port: String(port),
    user: REPLICATOR,
    dbname: 'postgres',
    application_name: as,
    passfile: passwordFile,
    connect_timeout: '3',
    keepalives_idle: '5',
    keepalives_interval: '2',
    keepalives_count: '2',
  })
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');

/** Done again it comes to the same. Waits for the disk of this instance alone: replicas may not be there yet. */
export async function keepRoles(
  database: Database,
  { owner, database: name }: Identity,
  passwords: Passwords,
): Promise<void> {
  const login = (role: string, password: string, rights: string) => `
    DO $$ BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}') THEN CREATE ROLE ${role}; END IF;
    END $$;
    ALTER ROLE ${role} WITH LOGIN ${rights} PASSWORD '${scramVerifier(password)}';`;
  await database.execute(`
    SET synchronous_commit = local;
    ${login('postgres', passwords.superuser, 'SUPERUSER')}
    ${login(REPLICATOR, passwords.replication, 'REPLICATION')}
    ${login(owner, passwords.app, 'NOSUPERUSER')}
    ${REWINDS.map((signature) => `GRANT EXECUTE ON FUNCTION pg_catalog.${signature} TO ${REPLICATOR};`).join('\n')}`);
  const known = await database.execute(`SELECT FROM pg_database WHERE datname = '${name}'`);
  if (known.length === 0) await database.execute(`CREATE DATABASE ${name} OWNER ${owner}`);
}
