// A member of etcd as a process of this machine: what the operator asks of it over gRPC, and what its users may do then.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority, issueLeaf, type KeyPair, type LeafRequest } from '@kurator/pki';
import { manifestOf, type Secret } from '@kurator/sdk';
import { eventually, freePort, resolveBinaries } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { seeToAccess } from '../src/access/see-to-access.ts';
import { EtcdClient } from '../src/database/etcd-client.ts';
import { rpc } from '../src/database/rpc.ts';
import { EtcdCluster } from '../src/resources.ts';

const folder = mkdtempSync(join(tmpdir(), 'kurator-etcd-'));
const [now, lifetime] = [Date.now(), 86_400_000];
const authority = createAuthority({ name: 'test', lifetime, now });
const issue = (request: Omit<LeafRequest, 'lifetime' | 'now'>) => issueLeaf(authority, { ...request, lifetime, now });
const clientAs = (pair: KeyPair) => new EtcdClient({ ca: authority.pem, cert: pair.pem, key: pair.exportKey() });
const as = (commonName: string) => clientAs(issue({ commonName, usages: ['client'] }));
const root = as('root');
const endpoint = { address: '127.0.0.1', serverName: 'localhost', port: 0 };
let etcd: ChildProcess;

beforeAll(async () => {
  const member = issue({ commonName: 'etcd-peer', names: ['localhost', '127.0.0.1'], usages: ['server', 'client'] });
  const files = { 'ca.crt': authority.pem, 'tls.crt': member.pem, 'tls.key': member.exportKey() };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
  endpoint.port = await freePort();
  const peer = `http://127.0.0.1:${await freePort()}`;
  const url = `https://127.0.0.1:${endpoint.port}`;
  const flags = {
    'data-dir': join(folder, 'data'),
    'listen-client-urls': url,
    'advertise-client-urls': url,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `default=${peer}`,
    'client-cert-auth': 'true',
    'trusted-ca-file': join(folder, 'ca.crt'),
    'cert-file': join(folder, 'tls.crt'),
    'key-file': join(folder, 'tls.key'),
    'unsafe-no-fsync': 'true',
  };
  const path = (await resolveBinaries({ programs: ['etcd'] })).path('etcd');
  const words = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`);
  etcd = spawn(path, words, { stdio: 'ignore' });
  await eventually(async () => expect((await root.status(endpoint)).leader).toBeDefined(), { timeout: '30s' });
});
afterAll(() => {
  etcd?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

describe('a member', () => {
  it('says how it is, who there is, and that it can be written to', async () => {
    const { leader, memberId, dbSize, version } = await root.status(endpoint);
    expect(leader).toBe(memberId);
    expect(dbSize).toBeGreaterThan(0);
    expect(version).toMatch(/^3\./);
    expect(await root.members(endpoint)).toMatchObject([{ id: memberId, isLearner: false }]);
    expect((await root.status(endpoint)).alarms).toEqual([]);
    await root.proveWrites(endpoint);
  });

  it('says which alarm was raised, and for whom, until that is put out', async () => {
    const { memberId } = await root.status(endpoint);
    const [activate, corrupt] = [1, 2];
    await root.ask(endpoint, rpc.alarm, { action: activate, memberId, alarm: corrupt });
    expect((await root.status(endpoint)).alarms).toEqual([{ memberId, alarm: 'CORRUPT' }]);
    await expect(root.proveWrites(endpoint)).rejects.toThrow('corrupt');
    await root.disarm(endpoint, 'NOSPACE');
    expect((await root.status(endpoint)).alarms).toHaveLength(1);
    await root.disarm(endpoint, 'CORRUPT');
    expect((await root.status(endpoint)).alarms).toEqual([]);
    await root.proveWrites(endpoint);
  });

  it('refuses with what it says and its code; and where nobody answers that is said', async () => {
    await expect(root.remove(endpoint, 'abc')).rejects.toMatchObject({
      code: 5,
      message: 'localhost refused: etcdserver: member not found',
    });
    const nowhere = { ...endpoint, port: await freePort() };
    await expect(root.status(nowhere)).rejects.toMatchObject({ code: undefined, message: /ECONNREFUSED/ });
    const stranger = createAuthority({ name: 'test', lifetime, now });
    const pair = issueLeaf(stranger, { commonName: 'root', usages: ['client'], lifetime, now });
    await expect(clientAs(pair).status(endpoint)).rejects.toThrow('gave no answer');
  });

  it('is no longer waited for when its time is up', async () => {
    await expect(root.status(endpoint, AbortSignal.abort())).rejects.toThrow('it took too long');
  });
});

describe('users and roles', () => {
  const secrets = new Map<string, Secret>();
  const told: string[] = [];
  const context = {
    client: { find: async (_: unknown, { name }: { name: string }) => secrets.get(name) },
    event: (_: string, __: string, message: string) => told.push(message),
    log: { info: (message: string) => told.push(message) },
    signal: new AbortController().signal,
  };
  const password = (name: string, text: string, resourceVersion: string) =>
    secrets.set(name, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, uid: name, resourceVersion },
      data: { password: Buffer.from(text).toString('base64') },
    });
  let cluster = manifestOf(EtcdCluster, {
    metadata: { name: 'shop', namespace: 'web' },
    spec: {
      version: '3.6.8',
      auth: {
        roles: [{ name: 'app', permissions: [{ access: 'ReadWrite', prefix: '/app/' }] }],
        users: [
          { name: 'ann', passwordSecret: { name: 'ann' }, roles: ['app'] },
          { name: 'client', roles: ['app'] },
        ],
      },
    },
  }) as EtcdCluster;
  /** As the operator does it, pass after pass, until there is nothing to do. */
  const settle = async () => {
    for (let passes = 0; passes < 5; passes += 1) {
      const { recorded, claims, isRunning } = await seeToAccess(cluster, root, endpoint, context as never);
      cluster = { ...cluster, status: { ...cluster.status, auth: recorded } as never };
      if (!isRunning) return claims[0];
    }
    return undefined;
  };
  const logIn = (name: string, password: string) =>
    root.ask(endpoint, { method: 'Auth/Authenticate', question: NAMED, answer: {} }, { name, password });
  const NAMED = { name: [1, 'text'], password: [2, 'text'] } as const;
  const range = (key: string) => ({ key: Buffer.from(key) });

  it('are not made while a password is missing, which is said with its place', async () => {
    const { claims } = await seeToAccess(cluster, root, endpoint, context as never);
    expect(claims).toMatchObject([{ type: 'AccessReady', status: 'False', reason: 'SecretMissing' }]);
    expect(claims[0]?.message).toContain('spec.auth.users, ann: the Secret ann');
    expect(await root.ask(endpoint, rpc.authStatus, {})).toEqual({ enabled: false });
  });

  it('may do what they are declared to, and nobody else anything', async () => {
    password('ann', 'open sesame', '1');
    expect(await settle()).toMatchObject({ status: 'True', reason: 'Enforced' });
    await logIn('ann', 'open sesame');
    await expect(logIn('ann', 'guess')).rejects.toThrow('invalid user ID or password');
    // A user without a password is who shows his certificate.
    await as('client').ask(endpoint, rpc.range, range('/app/1'));
    await expect(as('client').ask(endpoint, rpc.range, range('/other'))).rejects.toThrow('permission denied');
    await expect(as('somebody').ask(endpoint, rpc.range, range('/app/1'))).rejects.toThrow('permission denied');
    await root.proveWrites(endpoint);
    expect(told.join('\n')).not.toContain('sesame');
    expect(JSON.stringify(cluster)).not.toContain('sesame');
  });

  it('have another password when their Secret has', async () => {
    password('ann', 'another', '2');
    await settle();
    await logIn('ann', 'another');
    await expect(logIn('ann', 'open sesame')).rejects.toThrow('invalid user ID or password');
  });

  it('are mended where somebody has turned that off, once they are looked at again', async () => {
    await root.ask(endpoint, rpc.authDisable, {});
    const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 600_000);
    await settle();
    now.mockRestore();
    expect(await root.ask(endpoint, rpc.authStatus, {})).toEqual({ enabled: true });
  });

  it('go when they are declared no more, and with the last declaration nobody is asked any more', async () => {
    const auth = { roles: [], users: [] };
    cluster = { ...cluster, spec: { ...cluster.spec, auth } };
    await settle();
    expect(await root.ask(endpoint, rpc.users, {})).toEqual({ users: ['root'] });
    const { auth: _, ...spec } = cluster.spec;
    cluster = { ...cluster, spec };
    expect(await settle()).toMatchObject({ reason: 'NotDeclared' });
    expect(cluster.status?.auth).toBeUndefined();
    expect(await root.ask(endpoint, rpc.authStatus, {})).toEqual({ enabled: false });
  });
});
