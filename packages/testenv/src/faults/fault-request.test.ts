import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  describeFault,
  type FaultKindName,
  type FaultRequest,
  faultKinds,
  fieldsOf,
  parseFaultRequest,
} from './fault-request.ts';

/** One good request of each kind, with what it is described as. */
const good: readonly [FaultRequest, string][] = [
  [{ kind: 'kill', pod: 'web' }, 'sends SIGKILL to pod default/web'],
  [
    { kind: 'kill', pod: 'web', container: 'side', process: 'nginx', signal: 1 },
    'sends 1 to nginx in container side of pod default/web',
  ],
  [{ kind: 'freeze', pod: 'web', namespace: 'shop', for: '30s' }, 'freezes pod shop/web, for 30s'],
  [{ kind: 'drop', percent: 0.5, to: { pod: 'web' } }, 'drops 0.5 % of the packets to pod default/web'],
  [
    {
      kind: 'drop',
      percent: 30,
      from: [{ pod: 'a' }, { node: 'n1' }],
      to: { address: '10.0.0.0/8' },
      bothWays: true,
      except: { node: 'n2', pods: false },
      port: 53,
      protocol: 'udp',
    },
    'drops 30 % of the packets from pod default/a and node n1 to 10.0.0.0/8 to udp port 53 and back but spares those of node n2 without its pods',
  ],
  [{ kind: 'partition', groups: [['n1'], ['n2', 'cp']] }, 'parts n1 from n2, cp'],
  [{ kind: 'unplug', node: 'n1' }, 'pulls the network cable of n1'],
  [
    { kind: 'refuse', to: { node: 'cp' }, port: 6443, from: { pod: 'a' } },
    'refuses connections from pod default/a to port 6443 of node cp',
  ],
  [
    { kind: 'delay', to: { pod: 'web' }, port: 80, by: 1500, except: { pod: 'b' } },
    'delays connections to port 80 of pod default/web but those from pod default/b by 1500ms',
  ],
  [{ kind: 'fill', pod: 'db', volume: 'data' }, 'fills volume data of pod default/db'],
  [{ kind: 'fill', pod: 'db', volume: 'data', bytes: '64Mi' }, 'fills volume data of pod default/db with 64Mi'],
  [{ kind: 'burn-cpu', pod: 'web', cores: 2 }, 'burns 2 cores in pod default/web'],
  [{ kind: 'burn-memory', pod: 'web', bytes: 1024 }, 'holds 1024 bytes of memory in pod default/web'],
  [{ kind: 'stop', component: 'kubelet', node: 'n1' }, 'stops kubelet on n1'],
  [{ kind: 'hang', component: 'kube-apiserver' }, 'freezes kube-apiserver'],
  [{ kind: 'power-off', node: 'n1', for: 90_000 }, 'powers n1 off, for 90s'],
];

const bad: readonly [unknown, string][] = [
  [undefined, 'kind is undefined: give one of kill, freeze, drop'],
  [{ kind: 'explode' }, 'kind is "explode": give one of kill, freeze, drop'],
  [{ kind: 'toString' }, 'kind is "toString"'],
  [{ kind: 'kill' }, 'kill.pod is missing: give the name of a pod'],
  [{ kind: 'kill', pod: 7 }, 'kill.pod is 7: give some text'],
  [
    { kind: 'kill', pod: 'web', signal: 'SIGNAL' },
    'kill.signal is "SIGNAL": give the name of a signal, such as "SIGTERM", or a number from 1 to 64',
  ],
  [
    { kind: 'kill', pod: 'web', sginal: 9 },
    'kill has no field "sginal": use pod, namespace, container, signal, process, for',
  ],
  [
    { kind: 'freeze', pod: 'web', for: 'ever' },
    'freeze.for is "ever": give milliseconds, or a number with ms, s, m or h, such as "30s"',
  ],
  [{ kind: 'drop', to: { pod: 'web' } }, 'drop.percent is missing'],
  [{ kind: 'drop', percent: 0, to: { pod: 'web' } }, 'drop.percent is 0: give a number above 0, up to 100'],
  [{ kind: 'drop', percent: '30', to: { pod: 'web' } }, 'drop.percent is "30": give a number'],
  [{ kind: 'drop', percent: 30 }, 'drop.from and drop.to: make all of the one or all of the other pods or nodes'],
  [{ kind: 'drop', percent: 30, from: [{ pod: 'a' }, { address: '10.0.0.1' }] }, 'drop.from and drop.to: make all'],
  [
    { kind: 'drop', percent: 30, to: [{ pod: 'a' }, { pdo: 'b' }] },
    'drop.to[1] is {"pdo":"b"}: give { pod, namespace }, { node } or { address }',
  ],
  [{ kind: 'drop', percent: 30, to: [] }, 'drop.to is an empty list: give at least one, or leave it out'],
  [{ kind: 'drop', percent: 30, to: { pod: 'a', name: 'b' } }, 'drop.to has no field "name": use pod, namespace'],
  [
    { kind: 'drop', percent: 30, to: { pod: 'a' }, except: { address: 'here' } },
    'drop.except.address is "here": give an IPv4 address or range',
  ],
  [
    { kind: 'drop', percent: 30, to: { pod: 'a' }, protocol: 'udp' },
    'drop.protocol is "udp" without drop.port: give the port as well',
  ],
  [
    { kind: 'drop', percent: 30, from: { pod: 'a' }, to: { pod: 'a', namespace: 'default' } },
    'drop.from and drop.to both have pod default/a',
  ],
  [{ kind: 'partition', groups: [['n1']] }, 'partition.groups is [["n1"]]: give two or more groups of machines'],
  [
    { kind: 'partition', groups: [['n1'], ['n2', 'n1']] },
    'partition.groups has "n1" twice: a machine can be in one group only',
  ],
  [{ kind: 'partition', groups: [['n1'], [2]] }, 'partition.groups[1][0] is 2: give some text'],
  [
    { kind: 'refuse', to: { address: '10.0.0.1' }, port: 80 },
    'refuse.to is an address: give { pod, namespace } or { node }',
  ],
  [{ kind: 'delay', to: { pod: 'web' }, port: 0, by: '1s' }, 'delay.port is 0: give a whole number from 1 to 65535'],
  [
    { kind: 'fill', pod: 'db', volume: 'data', bytes: '12Quux' },
    'fill.bytes is "12Quux": give a whole number above 0, or a quantity such as "64Mi"',
  ],
  [{ kind: 'burn-cpu', pod: 'web', cores: 1.5 }, 'burn-cpu.cores is 1.5: give a whole number from 1 to 64'],
  [{ kind: 'stop', component: 'kubelet' }, 'stop.node is missing: each node has a kubelet, so give one'],
  [{ kind: 'stop', component: 'etcd', node: 'n1' }, 'stop.node is "n1": leave it out, the cluster has only one etcd'],
  [
    { kind: 'hang', component: 'docker' },
    'hang.component is "docker": give one of kubelet, containerd, kube-proxy, etcd',
  ],
];

describe('a fault request', () => {
  it.each(good)('%j is one', (request, description) => {
    expect(parseFaultRequest(JSON.parse(JSON.stringify(request)))).toEqual(request);
    expect(describeFault(request)).toBe(description);
  });

  it('has a good example of every kind here', () => {
    expect(new Set(good.map(([request]) => request.kind))).toEqual(new Set(Object.keys(faultKinds)));
  });

  it.each(bad)('%j is refused, with the field and the fix', (request, problem) => {
    expect(() => parseFaultRequest(request)).toThrow(
      expect.objectContaining({ code: 'KUR_TESTENV_FAULT_REQUEST', message: expect.stringContaining(problem) }),
    );
  });

  it('is refused by name of the field, whichever required field is left out', () => {
    for (const [request] of good) {
      for (const [name, field] of Object.entries(fieldsOf(request.kind))) {
        if (!field.required) continue;
        const { [name]: _, ...rest } = request as unknown as Record<string, unknown>;
        expect(() => parseFaultRequest(rest)).toThrow(`${request.kind}.${name} is missing`);
      }
    }
  });

  it('is either refused or described, whatever it is', () => {
    const kinds = fc.constantFrom(...(Object.keys(faultKinds) as FaultKindName[]));
    const fields = fc.constantFrom(
      ...new Set(Object.keys(faultKinds).flatMap((kind) => Object.keys(fieldsOf(kind as FaultKindName)))),
    );
    fc.assert(
      fc.property(kinds, fc.dictionary(fields, fc.jsonValue()), (kind, values) => {
        let request: FaultRequest;
        try {
          request = parseFaultRequest({ ...values, kind });
        } catch (error) {
          expect(error).toMatchObject({ code: 'KUR_TESTENV_FAULT_REQUEST' });
          return;
        }
        expect(describeFault(request)).not.toMatch(/undefined|\[object|\n/);
      }),
      { numRuns: 500 },
    );
  });
});
