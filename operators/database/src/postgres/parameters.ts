/** postgresql.conf and pg_hba.conf: what is ours to say, and what people may. */

/** Replication, files and addresses hang on these: nobody else sets them. */
export const MANAGED_PARAMETERS = [
  'archive_command',
  'archive_mode',
  'config_file',
  'data_directory',
  'external_pid_file',
  'fsync',
  'full_page_writes',
  'hba_file',
  'hot_standby',
  'ident_file',
  'listen_addresses',
  'logging_collector',
  'log_destination',
  'port',
  'primary_conninfo',
  'primary_slot_name',
  'recovery_target_timeline',
  'restart_after_crash',
  'restore_command',
  'ssl',
  'ssl_cert_file',
  'ssl_key_file',
  'synchronous_commit',
  'synchronous_standby_names',
  'unix_socket_directories',
  'wal_level',
  'wal_log_hints',
] as const;

/** What people may change. */
const DEFAULTS: Readonly<Record<string, string>> = {
  max_wal_senders: '16',
  max_replication_slots: '16',
  wal_keep_size: '512MB',
  shared_buffers: '128MB',
  wal_receiver_timeout: '5s',
  wal_sender_timeout: '5s',
  wal_retrieve_retry_interval: '500ms',
};

/** How an instance is to be configured. */
export interface Configuration {
  readonly parameters: Readonly<Record<string, string>>;
  /** As `synchronous_standby_names` has it. */
  readonly synchronous: string;
  /** Whom it follows; undefined for one that follows nobody. */
  readonly primaryConnection: string | undefined;
  readonly socketFolder: string;
  readonly port: number;
}

/** The whole of postgresql.conf. */
export function configurationText({
  parameters,
  synchronous,
  primaryConnection,
  socketFolder,
  port,
}: Configuration): string {
  const values: Readonly<Record<string, string>> = {
    ...DEFAULTS,
    ...parameters,
    listen_addresses: '*',
    port: String(port),
    unix_socket_directories: socketFolder,
    wal_level: 'replica',
    wal_log_hints: 'on',
    hot_standby: 'on',
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    synchronous_standby_names: synchronous,
    primary_conninfo: primaryConnection ?? '',
    recovery_target_timeline: 'latest',
    // A crash is for the brain to see: whoever was the primary may not be it any more.
    restart_after_crash: 'off',
    logging_collector: 'off',
  };
  return `${Object.entries(values)
    .map(([name, value]) => `${name} = '${quoted(value)}'`)
    .join('\n')}\n`;
}

/** `ANY 1 ("a","b")`; nothing where nobody is waited for. */
export function synchronousNames(number: number, names: readonly string[]): string {
  return number === 0 || names.length === 0 ? '' : `ANY ${number} (${names.map((name) => `"${name}"`).join(',')})`;
}

const quoted = (text: string) => text.replaceAll('\\', '\\\\').replaceAll("'", "''").replaceAll('\n', ' ');

/** Who may connect: the brain by the socket that only this pod has, everybody else by password. */
export const ACCESS_RULES = `local all postgres peer
host replication replicator all scram-sha-256
host postgres replicator all scram-sha-256
host all all all scram-sha-256
`;
