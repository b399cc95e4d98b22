/** The faults of a drill: what each does, what it needs, and how it ends by itself. No import, for all commands load this. */

/** Names of faults, as they are typed. */
export type FaultName = 'kill' | 'hang' | 'crash-loop' | 'packet-loss' | 'load' | 'dependency';

/** One kind of fault. */
export interface FaultKind {
  readonly does: string;
  /** Means without which it is refused. */
  readonly needs: string;
  /** What ends it if nobody is left to end it. */
  readonly ends: string;
  /** How long it lasts at most, unless told otherwise. */
  readonly deadline: string;
}

const beside =
  'an ephemeral container with SYS_PTRACE (amd64), or shareProcessNamespace in the pod; a shell in the image';

export const faults: Readonly<Record<FaultName, FaultKind>> = {
  kill: {
    does: 'kills all processes of one pod (SIGKILL)',
    needs: beside,
    ends: 'it is over at once',
    deadline: '2m',
  },
  hang: {
    does: 'holds all processes of one pod still: its port still accepts, nothing answers',
    needs: beside,
    ends: 'the kernel, when what holds them ends, right after the deadline at the latest',
    deadline: '2m',
  },
  'crash-loop': {
    does: 'rolls out a revision that crashes before it begins',
    needs: 'the right to change the workload; sh and date in the image',
    ends: 'the revision, which starts as it should right after the deadline',
    deadline: '5m',
  },
  'packet-loss': {
    does: 'loses packets to one pod (--percent)',
    needs: 'an ephemeral container with NET_ADMIN, of an image with iptables or tc (--image)',
    ends: 'a timer in its ephemeral container, right after the deadline',
    deadline: '5m',
  },
  load: {
    does: 'keeps all pods busy up to their CPU limit: nothing is broken, and nothing may be restarted',
    needs: 'the right to run commands in the pods; a CPU limit; sh in the image',
    ends: 'a timer in each pod, right after the deadline',
    deadline: '1m',
  },
  dependency: {
    does: 'hangs all pods of another service that this one depends on (--dependency)',
    needs: beside,
    ends: 'as a hang',
    deadline: '2m',
  },
};

export const faultNames = Object.keys(faults) as FaultName[];
