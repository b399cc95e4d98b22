/** Members that verify each other over real TLS, while their certificates and then their authority are replaced under them. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server } from 'node:tls';
import { afterEach, expect, it } from 'vitest';
import { readBundle } from './certificate.ts';
import { createAuthority, issueLeaf } from './issue.ts';
import { bundleOf, type Observed, type Policy, plan, type Ring, take } from './ring.ts';
import { type LeafSecret, leafData, leafFromData, ringData, ringFromData, type SecretData } from './secret.ts';

const DAY = 86_400_000;
const policy: Policy = { lifetime: 30 * DAY };
const make = () => createAuthority({ name: 'cluster', now: Date.now(), lifetime: 365 * DAY });
const members: Member[] = [];

afterEach(() => {
  for (const { server } of members.splice(0)) server.close();
});

/** One of those who serve and call: it has a Secret, and a process that has loaded it at some time. */
class Member {
  readonly name = `m${members.length}`;
  secret: SecretData;
  loaded: LeafSecret;
  readonly server: Server;

  constructor(ring: Ring) {
    this.secret = leafData({ pair: this.issued(ring), bundle: bundleOf(ring) });
    this.loaded = this.stored;
    // Who says hello has been accepted: with TLS 1.3 a client hears of a refusal only when it reads.
    this.server = createServer({ ...this.#context, requestCert: true, rejectUnauthorized: true }, (socket) => {
      socket.on('error', () => {});
      socket.end('hello');
    });
  }

  issued(ring: Ring) {
    const usages = ['server', 'client'] as const;
    const request = { commonName: this.name, names: ['127.0.0.1'], usages, lifetime: policy.lifetime, now: Date.now() };
    return issueLeaf(ring.authority, request);
  }

  get stored(): LeafSecret {
    return leafFromData(this.secret) ?? expect.unreachable();
  }

  load(): void {
    this.loaded = this.stored;
    this.server.setSecureContext(this.#context);
  }

  /** @returns what went wrong. */
  async call(other: Member): Promise<string | undefined> {
    const { port } = other.server.address() as AddressInfo;
    const socket = connect({ ...this.#context, port, host: '127.0.0.1' });
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    return (await new Promise((resolve) => {
      socket.once('error', (error) => resolve(`${this.name} → ${other.name}: ${error.message}`));
      socket.once('end', () => resolve(String(Buffer.concat(chunks)) === 'hello' ? undefined : 'no answer'));
      socket.once('close', () => resolve('closed'));
    }).finally(() => socket.destroy())) as string | undefined;
  }

  get #context() {
    const { pair, bundle } = this.loaded;
    return { cert: pair.pem, key: pair.exportKey(), ca: bundle };
  }
}

async function cluster(size: number): Promise<{ keys: SecretData }> {
  const ring: Ring = { authority: make() };
  for (let count = 0; count < size; count++) {
    const member = new Member(ring);
    members.push(member);
    member.server.listen(0, '127.0.0.1');
    await once(member.server, 'listening');
  }
  return { keys: ringData(ring) };
}

/** Everybody calls everybody while something happens; what it leads to, the calls during the next event see. */
async function failuresDuring(event: () => void): Promise<string[]> {
  const calls = members.flatMap((one) => members.filter((other) => other !== one).map((other) => one.call(other)));
  event();
  const results = await Promise.all(calls);
  handshakes += results.length;
  return results.filter((result) => result !== undefined);
}

let handshakes = 0;

function observed(): Observed {
  return {
    verifiers: members.map(({ name, loaded }) => ({
      name,
      trusts: readBundle(loaded.bundle).map(({ keyId }) => keyId),
    })),
    holders: members.map(({ name, stored, loaded }) => ({
      name,
      stored: stored.pair.certificate,
      shows: [loaded.pair.certificate.issuerKeyId ?? ''],
    })),
  };
}

/** What an operator does again and again: from what is stored and seen, and nothing else. */
function look(world: { keys: SecretData }): string {
  const ring = ringFromData(world.keys) ?? expect.unreachable();
  for (const member of members) member.secret = leafData({ ...member.stored, bundle: bundleOf(ring) });
  const { step, renew, waitingFor } = plan(ring, observed(), policy, Date.now());
  const after = step ? take(step, ring, policy, Date.now(), make) : ring;
  world.keys = ringData(after);
  for (const member of members.filter(({ name }) => renew.includes(name))) {
    member.secret = leafData({ ...member.stored, pair: member.issued(after) });
  }
  return step ?? (renew.length > 0 ? 'renew' : waitingFor.length > 0 ? 'wait' : 'rest');
}

it('a whole change of authorities, twice, with members that load at different times: not one call fails', {
  timeout: 120_000,
}, async () => {
  const world = await cluster(3);
  const failures: string[] = [];
  const done: string[] = [];
  for (let round = 0; round < 2; round++) {
    const first = ringFromData(world.keys)?.authority.pem;
    world.keys = ringData(take('begin', ringFromData(world.keys) ?? expect.unreachable(), policy, Date.now(), make));
    for (let turn = 0; done.at(-1) !== 'rest' || ringFromData(world.keys)?.authority.pem === first; turn++) {
      if (turn > 50) expect.unreachable();
      failures.push(...(await failuresDuring(() => done.push(look(world)))));
      // Only one of them loads, then another: each is behind for a while.
      failures.push(...(await failuresDuring(() => members[turn % members.length]?.load())));
    }
  }
  failures.push(...(await failuresDuring(() => {})));
  expect(failures).toEqual([]);
  expect(done.filter((what) => what === 'wait' || what === 'rest').length).toBeGreaterThan(4);
  const steps = done.filter((what) => !['wait', 'rest'].includes(what)).join();
  expect(steps).toBe('announce,promote,renew,settle,retire,announce,promote,renew,settle,retire');
  expect(handshakes).toBeGreaterThan(150);
});

it('calls do fail where a new authority signs before it is trusted: the test above would see it', async () => {
  const world = await cluster(2);
  const ring = ringFromData(world.keys) ?? expect.unreachable();
  const rash = take('promote', take('begin', ring, policy, Date.now(), make), policy, Date.now(), make);
  const [hasty] = members;
  if (!hasty) expect.unreachable();
  hasty.secret = leafData({ pair: hasty.issued(rash), bundle: bundleOf(rash) });
  hasty.load();
  const failures = await failuresDuring(() => {});
  expect(failures.join()).toMatch(/unable to verify the first certificate|self-signed certificate|unknown ca|closed/);
});
