/**
 * Which rules on which machine see the packets from one place to another, each of them exactly once. Pure.
 *
 * All rules are in the machines' network namespaces and in the table mangle. There, after a Service's address has been
 * replaced (FORWARD, INPUT) and before a sender's is (POSTROUTING), a packet shows who really sends it and who really
 * gets it. A packet dropped there is lost without a trace, as on a real network; in the pod's own namespace its
 * sender would be told.
 */
import type { Selector } from './rule-set.ts';

/** A pod with a network of its own. */
export interface PodPlace {
  readonly kind: 'pod';
  /** The machine it is on. */
  readonly machine: string;
  /** The machine's end of the pod's cable: gone as soon as the pod is. */
  readonly device: string;
  readonly ranges: readonly [string];
}

/** A machine, with or without its pods. */
export interface MachinePlace {
  readonly kind: 'machine';
  readonly machine: string;
  /** Whether its pods are meant as well. */
  readonly pods: boolean;
  readonly ranges: readonly string[];
}

/** Addresses that are nowhere in particular. */
export interface RangePlace {
  readonly kind: 'range';
  readonly ranges: readonly [string];
}

/** Where an endpoint is. */
export type Place = PodPlace | MachinePlace | RangePlace;

/** A selector, and the machine whose rules it belongs to. */
export interface PlacedSelector extends Selector {
  readonly machine: string;
}

/** A machine's network card. */
const CARD = 'eth0';

/** Packets that go one way. */
export interface Flow {
  /** Undefined: from everybody. */
  readonly from: Place | undefined;
  /** Undefined: to everybody. */
  readonly to: Place | undefined;
  /** Further arguments for each rule, such as a port. */
  readonly match: readonly string[];
}

/** The selectors for one way; one of the ends has to be a pod or a machine. */
export function selectorsFor({ from, to, match }: Flow): PlacedSelector[] {
  const sources = from?.ranges.map((range) => ['-s', range]) ?? [[]];
  const destinations = to?.ranges.map((range) => ['-d', range]) ?? [[]];
  const at = (machine: string, hook: Selector['hook'], ...parts: readonly (readonly string[])[]): PlacedSelector => ({
    machine,
    hook,
    match: [...parts.flat(), ...match],
  });

  if (to?.kind === 'pod') {
    return sources.map((source) => at(to.machine, 'POSTROUTING', ['-o', to.device], source));
  }
  if (from?.kind === 'pod') {
    return destinations.flatMap((destination) =>
      (['FORWARD', 'INPUT'] as const).map((hook) => at(from.machine, hook, ['-i', from.device], destination)),
    );
  }
  if (to?.kind === 'machine') {
    const own = to.pods ? [[]] : destinations;
    return sources.flatMap((source) =>
      own.map((destination) => at(to.machine, 'PREROUTING', ['-i', CARD], source, destination)),
    );
  }
  if (from?.kind === 'machine') {
    const own = from.pods ? [[]] : sources;
    return destinations.flatMap((destination) =>
      own.map((source) => at(from.machine, 'POSTROUTING', ['-o', CARD], source, destination)),
    );
  }
  throw new Error('a flow of packets needs a pod or a machine at one of its ends');
}

/** Packets between groups of places. */
export interface Flows {
  /** Empty: everybody. */
  readonly from: readonly Place[];
  readonly to: readonly Place[];
  readonly bothWays: boolean;
  /** Only packets to this port of `to`. */
  readonly port?: number;
  readonly protocol: 'tcp' | 'udp';
}

/** The selectors from each place to each other, and back where that is wanted. */
export function selectorsBetween({ from, to, bothWays, port, protocol }: Flows): PlacedSelector[] {
  const ports = (side: '--dport' | '--sport') => (port === undefined ? [] : ['-p', protocol, side, String(port)]);
  const everybody = [undefined];
  const pairs = orEverybody(from).flatMap((sender) => orEverybody(to).map((receiver) => ({ sender, receiver })));
  return pairs.flatMap(({ sender, receiver }) => [
    ...selectorsFor({ from: sender, to: receiver, match: ports('--dport') }),
    ...(bothWays ? selectorsFor({ from: receiver, to: sender, match: ports('--sport') }) : []),
  ]);

  function orEverybody(places: readonly Place[]): readonly (Place | undefined)[] {
    return places.length > 0 ? places : everybody;
  }
}

/** The arguments that drop so many of a hundred packets. */
export function dropVerdict(percent: number): string[] {
  if (percent >= 100) return ['-j', 'DROP'];
  return ['-m', 'statistic', '--mode', 'random', '--probability', (percent / 100).toFixed(8), '-j', 'DROP'];
}
