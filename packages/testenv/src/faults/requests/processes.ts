/** Faults of a container's processes. */

import {
  type ContainerTarget,
  containerFields,
  describeContainer,
  type FaultBase,
  type FaultKind,
} from './fault-kind.ts';
import { optional, signal, text } from './field.ts';

/**
 * Sends a signal to a container's main process, or to some of its processes. As anywhere in Kubernetes, a main
 * process that handles a signal not at all ignores it, unless it is SIGKILL or SIGSTOP. There is nothing to heal, except
 * that stopped processes are continued.
 */
export interface KillRequest extends FaultBase, ContainerTarget {
  kind: 'kill';
  /** By name or number. Default: `SIGKILL`. */
  signal?: string | number;
  /** All processes of this name instead of the main one. */
  process?: string;
}

/** Stops every process of a container where it is (SIGSTOP); healing lets them go on. */
export interface FreezeRequest extends FaultBase, ContainerTarget {
  kind: 'freeze';
  /** Only processes of this name. */
  process?: string;
}

const processField = optional('the name of the processes that are meant', text);

const whose = (request: ContainerTarget & { process?: string }) =>
  request.process ? `${request.process} in ${describeContainer(request)}` : describeContainer(request);

/** The kinds of faults of a container's processes. */
export const processKinds = {
  kill: {
    summary: "sends a signal to a container's process",
    fields: {
      ...containerFields,
      signal: optional('a signal, if not SIGKILL', signal),
      process: processField,
    },
    describe: (request) => `sends ${request.signal ?? 'SIGKILL'} to ${whose(request)}`,
  } satisfies FaultKind<KillRequest>,
  freeze: {
    summary: 'stops all processes of a container (SIGSTOP) until it is healed',
    fields: { ...containerFields, process: processField },
    describe: (request) => `freezes ${whose(request)}`,
  } satisfies FaultKind<FreezeRequest>,
};
