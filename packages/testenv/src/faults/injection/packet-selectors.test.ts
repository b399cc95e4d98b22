import { describe, expect, it } from 'vitest';
import { overlaps } from '../../machines/addresses.ts';
import {
  dropVerdict,
  type Flow,
  type MachinePlace,
  type Place,
  type PlacedSelector,
  type PodPlace,
  selectorsBetween,
  selectorsFor,
} from './packet-selectors.ts';
import type { Hook } from './rule-set.ts';

const pod = (number: number, last: number): PodPlace => ({
  kind: 'pod',
  machine: `n${number}`,
  device: `veth-${number}-${last}`,
  ranges: [`10.128.${64 + number}.${last}`],
});
const node = (number: number, pods = true): MachinePlace => ({
  kind: 'machine',
  machine: `n${number}`,
  pods,
  ranges: [`10.128.0.${10 + number}`, pods ? `10.128.${64 + number}.0/24` : `10.128.${64 + number}.1`],
});
const controlPlane: MachinePlace = { kind: 'machine', machine: 'cp', pods: true, ranges: ['10.128.0.2'] };
const outside: Place = { kind: 'range', ranges: ['10.128.0.1'] };

const lines = (selectors: readonly PlacedSelector[]) =>
  selectors.map(({ machine, hook, match }) => [machine, hook, ...match].join(' '));

describe('the rules for packets', () => {
  it.each<[string, Place | undefined, Place | undefined, string[]]>([
    ['to a pod', undefined, pod(1, 2), ['n1 POSTROUTING -o veth-1-2']],
    ['from a pod', pod(1, 2), undefined, ['n1 FORWARD -i veth-1-2', 'n1 INPUT -i veth-1-2']],
    ['from pod to pod', pod(1, 2), pod(2, 3), ['n2 POSTROUTING -o veth-2-3 -s 10.128.65.2']],
    [
      'from a node to a pod',
      node(2),
      pod(1, 2),
      ['n1 POSTROUTING -o veth-1-2 -s 10.128.0.12', 'n1 POSTROUTING -o veth-1-2 -s 10.128.66.0/24'],
    ],
    [
      'from a pod to a node',
      pod(1, 2),
      node(2, false),
      [
        'n1 FORWARD -i veth-1-2 -d 10.128.0.12',
        'n1 INPUT -i veth-1-2 -d 10.128.0.12',
        'n1 FORWARD -i veth-1-2 -d 10.128.66.1',
        'n1 INPUT -i veth-1-2 -d 10.128.66.1',
      ],
    ],
    ['to a node', undefined, node(1), ['n1 PREROUTING -i eth0']],
    ['from a node', node(1), undefined, ['n1 POSTROUTING -o eth0']],
    ['from the control plane to a node', controlPlane, node(1), ['n1 PREROUTING -i eth0 -s 10.128.0.2']],
    ['from a node to outside', node(1), outside, ['n1 POSTROUTING -o eth0 -d 10.128.0.1']],
  ])('%s', (_, from, to, expected) => expect(lines(selectorsFor({ from, to, match: [] }))).toEqual(expected));

  it('have the port on the side where it is', () => {
    const flows = { from: [pod(1, 2)], to: [pod(2, 3)], bothWays: true, port: 53, protocol: 'udp' as const };
    expect(lines(selectorsBetween(flows))).toEqual([
      'n2 POSTROUTING -o veth-2-3 -s 10.128.65.2 -p udp --dport 53',
      'n1 POSTROUTING -o veth-1-2 -s 10.128.66.3 -p udp --sport 53',
    ]);
  });

  it('drop all packets, or a share of them', () => {
    expect(dropVerdict(100)).toEqual(['-j', 'DROP']);
    expect(dropVerdict(30).join(' ')).toBe('-m statistic --mode random --probability 0.30000000 -j DROP');
  });

  it('see each packet that is meant once, and no other: every pair of ends, every packet', () => {
    const machines = [node(1), node(2), node(1, false), node(3), controlPlane];
    const ends: readonly (Place | undefined)[] = [undefined, pod(1, 2), pod(1, 3), pod(2, 2), ...machines];
    const flows = ends
      .flatMap((from) => ends.map((to) => ({ from, to, match: [] })))
      .filter(({ from, to }) => from !== to);
    const ways = world.flatMap((sender) => world.map((receiver) => ({ sender, receiver })));
    const wrong = flows.flatMap((flow) => {
      const selectors = selectorsFor(flow);
      return ways
        .filter(({ sender, receiver }) => sender !== receiver)
        .filter(({ sender, receiver }) => {
          const packet = { source: addressTowards(sender, receiver), destination: receiver.address };
          const at = stations(sender, receiver);
          const seen = at.filter((station) => selectors.some((selector) => matches(selector, station, packet)));
          return seen.length !== (isMeant(flow, sender, receiver, packet) ? 1 : 0);
        })
        .map((way) => ({ ...flow, ...way }));
    });
    expect(wrong).toEqual([]);
  });
});

/** Something that sends and receives: a pod with its cable's name, or a machine's own programs. */
interface Host {
  machine: string;
  device?: string;
  address: string;
  gateway?: string;
}

interface Packet {
  source: string;
  destination: string;
}

/** A place where a machine's rules see a packet. */
interface Station {
  machine: string;
  hook: Hook;
  in?: string | undefined;
  out?: string | undefined;
}

const world: readonly Host[] = [
  ...[1, 2, 3].flatMap((number): Host[] => [
    { machine: `n${number}`, address: `10.128.0.${10 + number}`, gateway: `10.128.${64 + number}.1` },
    ...[2, 3].map((last) => ({
      machine: `n${number}`,
      device: `veth-${number}-${last}`,
      address: `10.128.${64 + number}.${last}`,
    })),
  ]),
  { machine: 'cp', address: '10.128.0.2' },
];

/** A machine speaks to its own pods from the address that is their gateway. */
function addressTowards(sender: Host, receiver: Host): string {
  const toOwnPod = receiver.device !== undefined && sender.machine === receiver.machine;
  return toOwnPod && sender.gateway ? sender.gateway : sender.address;
}

/** The way of a packet through the kernel's hooks, on one machine or on two. */
function stations(sender: Host, receiver: Host): Station[] {
  const local = sender.machine === receiver.machine;
  const { machine } = sender;
  const out = local ? receiver.device : 'eth0';
  const leaves = out !== undefined;
  const start: Station[] = sender.device
    ? [
        { machine, hook: 'PREROUTING', in: sender.device },
        { machine, hook: leaves ? 'FORWARD' : 'INPUT', in: sender.device, out },
      ]
    : [{ machine, hook: 'OUTPUT', out }];
  const sent: Station[] = leaves ? [...start, { machine, hook: 'POSTROUTING', out }] : start;
  if (local) return sent;
  const there = receiver.machine;
  const arrival: Station[] = receiver.device
    ? [
        { machine: there, hook: 'FORWARD', in: 'eth0', out: receiver.device },
        { machine: there, hook: 'POSTROUTING', out: receiver.device },
      ]
    : [{ machine: there, hook: 'INPUT', in: 'eth0' }];
  return [...sent, { machine: there, hook: 'PREROUTING', in: 'eth0' }, ...arrival];
}

function matches({ machine, hook, match }: PlacedSelector, station: Station, packet: Packet): boolean {
  if (machine !== station.machine || hook !== station.hook) return false;
  const options = Object.fromEntries(
    match.flatMap((word, index) => (index % 2 === 0 ? [[word, match[index + 1]]] : [])),
  );
  const { '-i': input, '-o': output, '-s': source, '-d': destination } = options as Record<string, string | undefined>;
  return (
    (input === undefined || input === station.in) &&
    (output === undefined || output === station.out) &&
    (source === undefined || overlaps(source, packet.source)) &&
    (destination === undefined || overlaps(destination, packet.destination))
  );
}

/** What a reader of the request expects: with a pod, all of its packets; between machines, those that pass a card. */
function isMeant({ from, to }: Flow, sender: Host, receiver: Host, packet: Packet): boolean {
  const sent = !from || isAt(from, sender, packet.source);
  const received = !to || isAt(to, receiver, packet.destination);
  const withPod = from?.kind === 'pod' || to?.kind === 'pod';
  return sent && received && (withPod || sender.machine !== receiver.machine);
}

function isAt(place: Place, host: Host, address: string): boolean {
  if (place.kind === 'pod') return host.device === place.device;
  return place.ranges.some((range) => overlaps(range, address));
}
