/** What an operator does by default depends on where it runs: in a pod, or at its author's desk. */
import type { Client } from '@kurator/client';
import { type Logger, lateLogger } from '../../insight/late-logger.ts';
import type { LogLevel } from '../../insight/logger.ts';
import type { LeaderElectionSettings } from '../../manager/internal/lead.ts';
import type { ManagerOptions } from '../../manager/manager.ts';
import type { InstallPolicy, OperatorOptions, ShardingSettings } from '../operator-options.ts';

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
  const { http = inPod ? {} : { host: '127.0.0.1', port: 0 } } = options;
  return {
    inPod,
    namespaces: namespacesOf(options.namespaces ?? environment.WATCH_NAMESPACE),
    leaderElection: leaderElection === true ? {} : leaderElection,
    sharding: options.sharding === true ? {} : options.sharding || undefined,
    http,
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
  const { createLogger } = await import('../../insight/logger.ts');
  return createLogger({ level });
}
