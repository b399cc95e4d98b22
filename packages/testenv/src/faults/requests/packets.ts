/** Faults of the network between pods and machines. */
import { describeEndpoints, type Endpoint, listOf, type OneOrMore } from './endpoint.ts';
import type { FaultBase, FaultKind } from './fault-kind.ts';
import { endpoint, flag, groupsOfNames, oneOf, oneOrMore, optional, percent, port, required, text } from './field.ts';

/**
 * Loses packets on their way. Both ends are optional, but one of them has to be a pod or a node; an end that is left
 * out is everybody. Packets to and from a pod are all that leave it or come to it, the kubelet's probes among them;
 * packets to and from a node are those that pass its network card. Traffic through a Service counts as traffic with
 * the pod that answers.
 */
export interface DropRequest extends FaultBase {
  kind: 'drop';
  /** Above 0, up to 100. */
  percent: number;
  from?: OneOrMore<Endpoint>;
  to?: OneOrMore<Endpoint>;
  /** Also the other way round. Default: no. */
  bothWays?: boolean;
  /** Whose packets are spared, for example `{ node: 'n1', pods: false }` for the probes of the kubelet on n1. */
  except?: OneOrMore<Endpoint>;
  /** Only packets to this port of `to`, and with `bothWays` those that come back from it. */
  port?: number;
  /** What `port` is a port of. Default: `tcp`. */
  protocol?: 'tcp' | 'udp';
}

/**
 * Cuts the network into groups of machines, with their pods, that can't reach each other. A machine in no group still
 * reaches all; the control plane's is called `cp`, so that `[['n1'], ['cp']]` cuts a node off from it only.
 */
export interface PartitionRequest extends FaultBase {
  kind: 'partition';
  groups: readonly (readonly string[])[];
}

/** Pulls a machine's network cable: it reaches nobody, and nobody reaches it. */
export interface UnplugRequest extends FaultBase {
  kind: 'unplug';
  node: string;
}

/** The kinds of faults of the network. */
export const packetKinds = {
  drop: {
    summary: 'loses packets to, from or between pods and nodes',
    fields: {
      percent: required('how many of a hundred packets get lost', percent),
      from: optional('who sends them', oneOrMore(endpoint)),
      to: optional('who they are for', oneOrMore(endpoint)),
      bothWays: optional('also the other way round', flag),
      except: optional('whose packets are spared', oneOrMore(endpoint)),
      port: optional('only those to this port', port),
      protocol: optional('what the port is a port of, if not tcp', oneOf(['tcp', 'udp'])),
    },
    check: checkDrop,
    describe: describeDrop,
  } satisfies FaultKind<DropRequest>,
  partition: {
    summary: 'cuts the network into groups of machines that cannot reach each other',
    fields: { groups: required('two or more groups of machines', groupsOfNames) },
    describe: ({ groups }) => `parts ${groups.map((group) => group.join(', ')).join(' from ')}`,
  } satisfies FaultKind<PartitionRequest>,
  unplug: {
    summary: "pulls a machine's network cable",
    fields: { node: required('the name of a machine', text) },
    describe: ({ node }) => `pulls the network cable of ${node}`,
  } satisfies FaultKind<UnplugRequest>,
};

function checkDrop({ from, to, port, protocol }: DropRequest): string | undefined {
  if (isAnywhere(from) && isAnywhere(to))
    return 'drop.from and drop.to: make all of the one or all of the other pods or nodes';
  if (protocol && port === undefined) return `drop.protocol is "${protocol}" without drop.port: give the port as well`;
  const [sender] = listOf(from).filter((end) =>
    listOf(to).some((other) => describeEndpoints(other) === describeEndpoints(end)),
  );
  return (
    sender && `drop.from and drop.to both have ${describeEndpoints(sender)}: its packets to itself pass no network`
  );
}

function isAnywhere(ends: OneOrMore<Endpoint> | undefined): boolean {
  return listOf(ends).length === 0 || listOf(ends).some((end) => 'address' in end);
}

function describeDrop(request: DropRequest): string {
  const { from, to, except, port, protocol = 'tcp', bothWays = false } = request;
  return [
    `drops ${request.percent} % of the packets`,
    from && `from ${describeEndpoints(from)}`,
    to && `to ${describeEndpoints(to)}`,
    port !== undefined && `to ${protocol} port ${port}`,
    bothWays && 'and back',
    except && `but spares those of ${describeEndpoints(except)}`,
  ]
    .filter(Boolean)
    .join(' ');
}
