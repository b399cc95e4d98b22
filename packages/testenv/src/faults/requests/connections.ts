/** Faults of single ports. */
import { type Duration, formatDuration, toMilliseconds } from './duration.ts';
import { describeEndpoints, type Endpoint, type NodeEndpoint, type OneOrMore, type PodEndpoint } from './endpoint.ts';
import type { FaultBase, FaultKind } from './fault-kind.ts';
import { duration, endpoint, type Field, listener, oneOrMore, optional, port, required } from './field.ts';

interface PortTarget {
  /** Whose port: a pod's, or that of a program on the machine itself. */
  to: PodEndpoint | NodeEndpoint;
  port: number;
  /** Only connections of these. Default: everybody's. */
  from?: OneOrMore<Endpoint>;
  /** Whose connections are spared. */
  except?: OneOrMore<Endpoint>;
}

/** New TCP connections to a port are refused, as if nobody listened there. Connections that are open stay open. */
export interface RefuseRequest extends FaultBase, PortTarget {
  kind: 'refuse';
}

/**
 * New TCP connections to a port wait before they reach the program that listens there: they are accepted at once and
 * answered late, as by an overloaded server. Connections that are open are left alone, and so are those from inside the
 * same pod. The program sees delayed connections come from its own address.
 */
export interface DelayRequest extends FaultBase, PortTarget {
  kind: 'delay';
  by: Duration;
}

const portFields: Readonly<Record<keyof PortTarget, Field>> = {
  to: required('the pod or node whose port it is', listener),
  port: required('a TCP port', port),
  from: optional('only connections of these', oneOrMore(endpoint)),
  except: optional('whose connections are spared', oneOrMore(endpoint)),
};

/** The kinds of faults of single ports. */
export const connectionKinds = {
  refuse: {
    summary: 'refuses new TCP connections to a port',
    fields: portFields,
    describe: (request) => `refuses connections ${whichConnections(request)}`,
  } satisfies FaultKind<RefuseRequest>,
  delay: {
    summary: 'lets new TCP connections to a port wait',
    fields: { ...portFields, by: required('how long they wait', duration) },
    describe: (request) =>
      `delays connections ${whichConnections(request)} by ${formatDuration(toMilliseconds(request.by) ?? 0)}`,
  } satisfies FaultKind<DelayRequest>,
};

function whichConnections({ to, port, from, except }: PortTarget): string {
  return [
    from && `from ${describeEndpoints(from)}`,
    `to port ${port} of ${describeEndpoints(to)}`,
    except && `but those from ${describeEndpoints(except)}`,
  ]
    .filter(Boolean)
    .join(' ');
}
