import { fakeSession } from '@kurator/command/testing';
import { faultKinds } from '@kurator/testenv';
import { describe, expect, it } from 'vitest';
import { createProgram, runCommandLine } from '../program.ts';
import { faultRequest } from './requests.ts';

describe('faultRequest', () => {
  it.each([
    ['kill', ['web-0'], { signal: '15' }, { kind: 'kill', pod: 'web-0', signal: 15 }],
    ['freeze', ['shop/web-0'], { for: '30s' }, { kind: 'freeze', namespace: 'shop', pod: 'web-0', for: '30s' }],
    [
      'drop',
      [],
      { percent: 30, from: ['node/n1'], to: ['pod/shop/web-0', '10.128.0.0/16'], bothWays: true },
      {
        kind: 'drop',
        percent: 30,
        from: [{ node: 'n1' }],
        to: [{ namespace: 'shop', pod: 'web-0' }, { address: '10.128.0.0/16' }],
        bothWays: true,
      },
    ],
    ['partition', [['n1', 'n2,cp']], {}, { kind: 'partition', groups: [['n1'], ['n2', 'cp']] }],
    ['delay', ['pod/web-0', 8080], { by: '2s' }, { kind: 'delay', to: { pod: 'web-0' }, port: 8080, by: '2s' }],
    ['fill', ['db-0'], { volume: 'data' }, { kind: 'fill', pod: 'db-0', volume: 'data' }],
    ['burn-memory', ['db-0'], { bytes: '64Mi' }, { kind: 'burn-memory', pod: 'db-0', bytes: '64Mi' }],
    ['stop', ['kubelet@n1'], {}, { kind: 'stop', component: 'kubelet', node: 'n1' }],
    ['hang', ['etcd'], {}, { kind: 'hang', component: 'etcd' }],
    ['power-off', ['n2'], {}, { kind: 'power-off', node: 'n2' }],
  ] as const)('reads `fault %s` with %j and %j', (kind, args, options, request) => {
    const own = { name: 'dev', json: true, verbose: true };
    expect(faultRequest(kind, args, { ...options, ...own })).toEqual(request);
  });

  it.each([
    ['stop', ['kubelet'], {}, 'each node has a kubelet'],
    ['drop', [], { percent: 300, to: ['node/n1'] }, 'percent'],
    ['partition', [['n1']], {}, 'two or more groups'],
    ['refuse', ['web-0', 80], {}, '"web-0" is neither a pod, a node nor an address'],
  ] as const)('leaves it to the library to refuse `fault %s` with %j and %j', (kind, args, options, message) => {
    expect(() => faultRequest(kind, args, options)).toThrow(message);
  });
});

it('has a command for every kind of fault', async () => {
  const cluster = (await createProgram(fakeSession())).commands.find((command) => command.name() === 'cluster');
  const fault = cluster?.commands.find((command) => command.name() === 'fault');
  expect(fault?.commands.map((command) => command.name()).sort()).toEqual(
    [...Object.keys(faultKinds), 'heal', 'list'].sort(),
  );
});

it('has an option or an argument for every field of every kind', async () => {
  const cluster = (await createProgram(fakeSession())).commands.find((command) => command.name() === 'cluster');
  const fault = cluster?.commands.find((command) => command.name() === 'fault');
  for (const [kind, { fields }] of Object.entries(faultKinds)) {
    const command = fault?.commands.find((each) => each.name() === kind);
    const options = command?.options.map((option) => option.attributeName()) ?? [];
    const byArgument = [
      'pod',
      'namespace',
      'node',
      'component',
      'groups',
      ...(options.includes('to') ? [] : ['to', 'port']),
    ];
    const missing = Object.keys(fields).filter((field) => !options.includes(field) && !byArgument.includes(field));
    expect({ kind, missing }).toEqual({ kind, missing: [] });
  }
});

it.each([
  [['heal'], 'it is not clear which faults are meant'],
  [['heal', '1', '--all'], 'it is not clear which faults are meant'],
  [['stop', 'kubelet'], 'each node has a kubelet'],
])('refuses `fault %j` as a mistake in typing, before it looks for a cluster', async (args, message) => {
  const session = fakeSession();
  await runCommandLine(['cluster', 'fault', ...args, '--name', 'no-such-cluster'], session);
  expect(session.said.stderr).toContain(message);
  expect(session.said.code).toBe(2);
});
