/** What a simulated cluster is made of, and what may happen to it. */
import { type MemberObjects, quorumOf } from './situation.ts';

/** What may happen to a cluster, beside its operator. */
export type Trouble =
  | {
      readonly event: 'pod-deleted' | 'pod-failed' | 'pod-hangs' | 'node-lost' | 'node-gone' | 'claim-lost';
      readonly which: number;
    }
  | { readonly event: 'leader-elected'; readonly which: number }
  | { readonly event: 'scaled'; readonly size: number }
  | { readonly event: 'template-changed' | 'status-lost' | 'nodes-back' | 'may-recover' }
  | { readonly event: 'time-passes'; readonly ms: number };

/** When the operator is killed: never, before it does the step, or after it and before it has written that down. */
export type Cut = 'none' | 'before' | 'after';

export interface Peer {
  readonly id: string;
  readonly name: string;
  isLearner: boolean;
}

/** A member's pod and its data. */
export interface Machine {
  pod: MemberObjects['pod'];
  template: number;
  hangs: boolean;
  /** The pod's node is gone: what was told to end never does. */
  isStranded: boolean;
  /** The node never comes back, and the volume is on it. */
  isGone: boolean;
  /** It begins a cluster of its own data whenever it starts. */
  forced: boolean;
  /** It had data when another was gone on from: a person may want it. */
  leftBehind: boolean;
  /** The newest write that its data has; undefined where there is no claim. */
  data: number | undefined;
  /** When the claim is gone, and the pod that used it still runs. */
  hasClaim: boolean;
}

export function disturb(
  machine: Machine | undefined,
  event: 'pod-deleted' | 'pod-failed' | 'pod-hangs' | 'node-lost' | 'node-gone' | 'claim-lost',
): void {
  if (!machine) return;
  switch (event) {
    case 'pod-deleted':
      if (machine.pod !== 'absent') machine.pod = 'ending';
      return;
    case 'pod-failed':
      if (machine.pod === 'running' || machine.pod === 'starting') machine.pod = 'failed';
      return;
    case 'pod-hangs':
      machine.hangs = true;
      return;
    case 'node-lost':
      machine.isStranded = true;
      if (machine.pod !== 'absent') machine.pod = 'ending';
      return;
    case 'node-gone':
      machine.isStranded = true;
      machine.isGone = true;
      machine.pod = 'absent';
      return;
    case 'claim-lost':
      loseClaim(machine);
      if (machine.pod !== 'absent') machine.pod = 'ending';
      return;
  }
}

/** A pod on a lost node neither starts nor ends, and one without its volume does not start. */
export function goOn(machine: Machine): void {
  if (machine.isStranded) return;
  if (machine.pod === 'ending') machine.pod = 'absent';
  else if (machine.pod === 'starting' && machine.hasClaim) machine.pod = 'running';
}

/** One of them, whatever the number. */
export const pick = <T>(all: readonly T[], which: number): T | undefined => all[which % Math.max(1, all.length)];

export function loseClaim(machine: Machine): void {
  machine.hasClaim = false;
  machine.data = undefined;
}

/** Its data is there, or will be. */
export const isWhole = (machine: Machine | undefined): boolean => machine?.hasClaim === true && !machine.isGone;

/** Why those who voted may not go on from this one, alone. */
export function wrongsOfSurvivor(
  survivor: string,
  voters: readonly string[],
  machines: ReadonlyMap<string, Machine>,
): string[] {
  // It was chosen for what it had: without it, it begins nothing.
  if (!isWhole(machines.get(survivor))) return [];
  const whole = voters.filter((name) => isWhole(machines.get(name)));
  const most = Math.max(...whole.map((name) => machines.get(name)?.data ?? 0));
  return [
    ...(whole.length >= quorumOf(voters.length) ? ['quorum could come back'] : []),
    ...(machines.get(survivor)?.data === most ? [] : ['another knows more']),
    ...(voters.includes(survivor) ? [] : ['it does not vote']),
  ];
}

/** As the operator sees it. */
export function objectsOf(machine: Machine | undefined, template: number): MemberObjects {
  if (!machine) return { pod: 'absent', upToDate: true, claim: false, gone: true, forced: false };
  const { pod, hasClaim } = machine;
  const forced = pod !== 'absent' && machine.forced;
  const upToDate = pod === 'absent' || (machine.template === template && !forced);
  return { pod, upToDate, claim: hasClaim, gone: !isWhole(machine), forced };
}

/** What etcd raises alarms for is not simulated: maintenance.test.ts and corruption.test.ts have that. */
export const UNTROUBLED = {
  noSpace: false,
  corrupt: new Set<string>(),
  foreign: new Set<string>(),
  full: new Set<string>(),
  request: undefined,
  maintenance: undefined,
} as const;
