import type { Client } from '@kurator/client';
import type { Clock } from '../clock.ts';
import type { Duration } from '../duration.ts';
import { type Logger, lateLogger } from '../insight/late-logger.ts';
import type { LogLevel } from '../insight/logger.ts';
import type { LeaderElectionSettings } from '../leadership/election.ts';
import type { ManagerOptions } from '../manager/manager.ts';
import type { ShardingOptions } from '../sharding/sharding.ts';
import type { WebhooksOptions } from '../webhooks/options.ts';

/** What becomes of the definitions (CRDs) of the operator's own kinds when it starts. */
export type InstallPolicy = 'never' | 'missing' | 'compatible';

/** How replicas share the objects. */
export type ShardingSettings = Partial<Omit<ShardingOptions, 'client' | 'name' | 'report' | 'clock'>>;

/** Where webhooks are, and by which certificates they are believed. */
export type WebhookSettings = Partial<
  Pick<WebhooksOptions, 'address' | 'listen' | 'certificates' | 'drainDelay' | 'limits'>
>;

/** What an operator is; everything has a default. */
export interface OperatorOptions {
  /**
   * What logs, events, the Lease, labels and field managers call it: lower case letters, digits and dashes, at most 63.
   * The first kind and `-operator` unless given, for example `myapp-operator`. Never change it: the fields that were
   * written under another name are another's.
   */
  name?: string;
  /**
   * The namespaces that it works in. All unless given here, or by the environment variable WATCH_NAMESPACE (separated
   * by commas).
   */
  namespaces?: string | readonly string[];
  /** How replicas agree on who acts; unless given, on in a cluster where there is something that only one may do, off elsewhere. */
  leaderElection?: boolean | LeaderElectionSettings;
  /**
   * Lets all replicas work at once, each on a share of the objects; false (only the leader works) unless given. What is
   * not about single objects stays with the leader.
   */
  sharding?: boolean | ShardingSettings;
  /**
   * Probes, metrics and the debug page; on port 8080 in a cluster, on any free port of this machine alone elsewhere. With
   * `{ metrics: 'authorized' }`, metrics only for those whom the API server lets read them, over TLS on port 8443.
   */
  http?: ManagerOptions['http'];
  /**
   * What becomes of the definitions of its own kinds. `never`: it waits until somebody has installed them; `missing`:
   * those that aren't there are installed; `compatible`: those that are there are brought up to date too, if that harms
   * no stored object. `never` in a cluster, `missing` elsewhere unless given.
   */
  installCrds?: InstallPolicy;
  /**
   * What to do about a kind that the cluster doesn't have. `wait`: until somebody has installed it, not ready meanwhile;
   * `fail`: it doesn't start. `wait` unless given.
   */
  missingKinds?: 'wait' | 'fail';
  /**
   * Where webhooks are reached and by which certificates they are believed, for operators that have any. In a cluster
   * they are served on port 9443 behind a Service of the operator's name, elsewhere on any free port at the address from
   * which the API server is reached.
   */
  webhooks?: WebhookSettings;
  /** How much is logged, or a logger of your own; `info`, as JSON lines on standard output, unless given. */
  log?: LogLevel | Logger;
  /** See {@link ManagerOptions.gracePeriod}. */
  gracePeriod?: Duration;
}

/** How an operator is started; what is given here wins over what was given to `operator`. */
export interface StartOptions extends OperatorOptions {
  /** Unless given, one as `loadConfig` finds it: `$KUBECONFIG`, `~/.kube/config`, or the pod's service account. */
  client?: Client;
  /** Stops it when it fires. */
  signal?: AbortSignal;
  /** Whether SIGTERM and SIGINT stop it; false unless given. */
  signals?: boolean;
  clock?: Clock;
}

export interface SettledOptions {
  readonly inPod: boolean;
  readonly namespaces: readonly string[] | undefined;
  readonly leaderElection: LeaderElectionSettings | false;
  readonly sharding: ShardingSettings | undefined;
  readonly http: NonNullable<ManagerOptions['http']>;
  readonly installCrds: InstallPolicy;
  readonly logger: Logger;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The options with nothing left open. */
export function settleOptions(options: OperatorOptions, environment: Environment = process.env): SettledOptions {
  const inPod = environment.KUBERNETES_SERVICE_HOST !== undefined;
  const { leaderElection = inPod, installCrds = inPod ? 'never' : 'missing', log = 'info' } = options;
  const { http = {} } = options;
  return {
    inPod,
    namespaces: namespacesOf(options.namespaces ?? environment.WATCH_NAMESPACE),
    leaderElection: leaderElection === true ? {} : leaderElection,
    sharding: options.sharding === true ? {} : options.sharding || undefined,
    http: http && { ...(inPod ? {} : { host: '127.0.0.1', port: 0 }), ...http },
    installCrds,
    logger: typeof log === 'string' ? lateLogger(() => loadLogger(log)) : log,
  };
}

/** The namespace that the operator itself lives in. */
export function ownNamespace({ config }: Client, environment: Environment = process.env): string {
  return environment.POD_NAMESPACE ?? config.namespace ?? 'default';
}

function namespacesOf(given: string | readonly string[] | undefined): readonly string[] | undefined {
  const all = (typeof given === 'string' ? given.split(',') : (given ?? [])).map((name) => name.trim());
  const named = [...new Set(all.filter((name) => name !== ''))];
  return named.length > 0 ? named : undefined;
}

async function loadLogger(level: LogLevel): Promise<Logger> {
  const { createLogger } = await import('../insight/logger.ts');
  return createLogger({ level });
}
