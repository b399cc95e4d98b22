/** What a caller may ask of a cluster, checked before anything is made. */
import { TestenvError } from '../error.ts';
import { maxNodes } from '../machines/addresses.ts';
import type { Reporter } from '../reporter.ts';

/** What can be asked of a cluster; everything has a default. */
export interface ClusterOptions {
  /** Lower case letters, digits and dashes, at most 32. Default: `kurator`. */
  name?: string;
  /** 0 to 32; 0 is a control plane alone, which needs neither root nor Linux. Default: 0. */
  nodes?: number;
  /** Kubernetes, as `1.36` or `1.36.3`. */
  version?: string;
  /** The nodes' Kubernetes, to test version skew. Default: the same. */
  nodeVersion?: string;
  /** Whether the controller manager and the scheduler run. Default: only with nodes. */
  controllers?: boolean;
  /** Whether every request to the API server is written to `logs/audit.log`. Default: no. */
  audit?: boolean;
  /** Dead nodes are noticed within seconds instead of Kubernetes' usual minute. Default: no. */
  fastFailureDetection?: boolean;
  /** The API server's port on loopback, for a control plane alone. Default: a free one. */
  port?: number;
  /** `--flag=value` for the API server, after ours. */
  apiServerArguments?: readonly string[];
  /** A folder with the programs, used instead of the cache, a download or a build. */
  binaries?: string;
  /** Whether missing Debian packages may be installed. Default: only with `KURATOR_INSTALL=yes` or `CI=true`. */
  install?: boolean | undefined;
  /**
   * Whether nodes can have only the images that were loaded or pushed to the cluster's registry. If not, they also pull what
   * this machine can reach, with its user's log-ins and proxy. Default: closed, so that a test never depends on a network.
   */
  closed?: boolean;
  /** Whether it outlives this process. Default: no; it is taken down when this process ends, however that happens. */
  detached?: boolean;
  reporter?: Reporter;
  signal?: AbortSignal;
}

/** The options that decide most, with their defaults; throws with the field's name where one makes no sense. */
export function checkOptions({ name = 'kurator', nodes = 0, port }: ClusterOptions): { name: string; nodes: number } {
  if (!/^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/.test(name)) {
    throw new TestenvError(
      'KUR_TESTENV_OPTION',
      `name "${name}" is not one: use at most 32 lower case letters, digits and dashes`,
    );
  }
  if (!Number.isInteger(nodes) || nodes < 0 || nodes > maxNodes) {
    throw new TestenvError(
      'KUR_TESTENV_OPTION',
      `nodes is ${nodes}: use a whole number from 0 (control plane alone) to ${maxNodes}`,
    );
  }
  if (port !== undefined && (!Number.isInteger(port) || port < 1 || port > 65535)) {
    throw new TestenvError('KUR_TESTENV_OPTION', `port is ${port}: use a whole number from 1 to 65535`);
  }
  if (port !== undefined && nodes > 0) {
    throw new TestenvError(
      'KUR_TESTENV_OPTION',
      'port is for a control plane alone: with nodes the API server has an address of its own',
    );
  }
  return { name, nodes };
}
