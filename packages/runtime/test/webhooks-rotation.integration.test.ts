/** Keys change and replicas come and go while requests depend on them: not one may fail. */
import { mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'node:tls';
import { type Client, Secret } from '@kurator/client';
import { ValidatingWebhookConfiguration } from '@kurator/client/admissionregistration/v1';
import { createAuthority, issueLeaf } from '@kurator/pki';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Webhooks } from '../src/webhooks/webhooks.ts';
import { balancer } from './support/webhook-balancer.ts';
import {
  type OldGadget,
  type Replica,
  replica,
  start,
  untilAsked,
  type World,
  webhookWorld,
} from './support/webhook-world.ts';

const decoded = (text: string | undefined) => Buffer.from(text ?? '', 'base64').toString('utf8');

/** Everything that a webhook can be asked for. */
const declare = (world: World) => (webhooks: Webhooks) => {
  webhooks.validate(world.Gadget, () => {});
  webhooks.mutate(world.Gadget, ({ object }) => {
    object.spec.note = 'seen';
  });
  webhooks.convert(world.Gadget, {
    v1alpha1: {
      toStorage: ({ spec }: OldGadget) => ({ spec: { ...spec, size: Number(spec.size) } }),
      fromStorage: ({ spec }) => ({ spec: { ...spec, size: String(spec.size) } }),
    },
  });
};

interface Load {
  readonly failures: string[];
  done: number;
}

/** Writes and reads as quickly as it can, on several connections, without ever trying twice. */
function load({ client, Gadget, OldGadget, namespace }: World, workers = 6): Load {
  const result: Load = { failures: [], done: 0 };
  const over = new AbortController();
  const once = { retries: 0 };
  const work = async (worker: number) => {
    for (let turn = 0; !over.signal.aborted; turn++) {
      const ref = { name: `g-${worker}-${turn}`, namespace };
      try {
        const made = await client.create(Gadget, { metadata: ref, spec: { size: turn } }, once);
        expect(made.spec.note).toBe('seen');
        const old = await client.get(OldGadget, ref, once);
        expect(old.spec.size).toBe(String(turn));
        await client.delete(Gadget, ref, once);
        result.done++;
      } catch (error) {
        result.failures.push(String(error));
      }
    }
  };
  const working = Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  onTestFinished(async () => {
    over.abort();
    await working;
  });
  return result;
}

/** Connects again and again as an API server would that trusts what is registered: kept-alive connections hide much. */
function handshakes({ client, namespace }: World, replicas: readonly Replica[], load: Load): void {
  const over = new AbortController();
  const knock = async ({ webhooks }: Replica) => {
    const port = await webhooks.port();
    while (!over.signal.aborted) {
      const { webhooks: registered } = await client.get(ValidatingWebhookConfiguration, { name: namespace });
      const ca = decoded(registered?.[0]?.clientConfig.caBundle);
      await new Promise<void>((resolve) => {
        const socket = connect({ port, host: '127.0.0.1', ca }, () => resolve());
        socket.once('error', (error) => {
          load.failures.push(`handshake: ${error.message}`);
          resolve();
        });
        socket.once('secureConnect', () => socket.destroy());
      });
      await delay(20);
    }
  };
  const knocking = Promise.all(replicas.map(knock));
  onTestFinished(async () => {
    over.abort();
    await knocking;
  });
}

const keysOf = async (client: Client, namespace: string) => {
  const secret = await client.find(Secret, { name: `${namespace}-webhooks`, namespace });
  const text = (name: string) => decoded(secret?.data?.[name]);
  return {
    authority: text('ca.crt'),
    serving: text('tls.crt'),
    next: text('next-ca.crt'),
    previous: text('previous-ca.crt'),
  };
};

describe('keys', () => {
  it('are made by one of the replicas that start at once, and used by all', async () => {
    const world = await webhookWorld();
    const { url, backends } = await balancer();
    const replicas = await Promise.all(
      Array.from({ length: 4 }, () => replica(world, declare(world), { address: { url } })),
    );
    const { serving, authority } = await keysOf(world.client, world.namespace);
    for (const { webhooks } of replicas) {
      const port = await webhooks.port();
      backends.add(port);
      const seen = await new Promise<string>((resolve, reject) => {
        const socket = connect({ port, host: '127.0.0.1', ca: authority }, () => {
          resolve(socket.getPeerX509Certificate()?.toString() ?? '');
          socket.destroy();
        });
        socket.once('error', reject);
      });
      expect(seen.trim()).toBe(serving.trim());
    }
  });

  it('change again and again under load, with two replicas, without one failed call', {
    timeout: 120_000,
  }, async () => {
    const world = await webhookWorld();
    const { client, namespace } = world;
    const { url, backends } = await balancer();
    const certificates = { overlap: '1s', lifetime: '30s', authorityLifetime: '1h' };
    const options = { address: { url }, certificates };
    const replicas = await Promise.all([1, 2].map(() => replica(world, declare(world), options)));
    for (const { webhooks } of replicas) backends.add(await webhooks.port());
    await untilAsked(world, replicas[0] as Replica);
    const running = load(world);
    handshakes(world, replicas, running);
    const authorities = new Set<string>();
    for (let round = 0; round < 4; round++) {
      const before = await keysOf(client, namespace);
      authorities.add(before.authority);
      const doneBefore = running.done;
      // How people ask for new keys. What was in it is served until its successor is trusted.
      await client.delete(Secret, { name: `${namespace}-webhooks`, namespace });
      const keys = () => keysOf(client, namespace);
      await expect.poll(async () => (await keys()).previous, { timeout: 20_000 }).toBe(before.authority);
      await expect.poll(async () => (await keys()).previous, { timeout: 20_000 }).toBe('');
      const after = await keys();
      expect(after.authority).not.toBe(before.authority);
      expect(after.serving).not.toBe(before.serving);
      const bundle = async () => {
        const { webhooks } = await client.get(ValidatingWebhookConfiguration, { name: namespace });
        return decoded(webhooks?.[0]?.clientConfig.caBundle);
      };
      await expect.poll(bundle).toBe(after.authority);
      await expect.poll(() => running.done).toBeGreaterThan(doneBefore + 20);
    }
    expect(running.failures).toEqual([]);
    expect(authorities.size).toBe(4);
  });

  it('are mended when somebody has made a mess of the Secret', async () => {
    const world = await webhookWorld();
    const { client, namespace } = world;
    await replica(world, declare(world), { certificates: { overlap: '1s' } });
    const before = await keysOf(client, namespace);
    const mess = { data: { 'tls.key': 'bm9uc2Vuc2U=' } };
    await client.patch(Secret, { name: `${namespace}-webhooks`, namespace }, mess);
    await expect.poll(async () => (await keysOf(client, namespace)).previous).toBe(before.authority);
  });
});

it('a Secret that holds something else is not touched', async () => {
  const world = await webhookWorld();
  const { client, namespace } = world;
  const data = { password: 'eA==' };
  await client.create(Secret, { metadata: { name: `${namespace}-webhooks`, namespace }, data });
  const { manager } = start(world, declare(world));
  const reason = async () => (await manager.readiness()).checks.find(({ name }) => name === 'webhooks')?.reason;
  await expect.poll(reason).toContain('holds something else than the keys of the webhooks');
  expect((await client.get(Secret, { name: `${namespace}-webhooks`, namespace })).data).toEqual(data);
});

describe('replicas', () => {
  it('come and go under load without one failed call', { timeout: 120_000 }, async () => {
    const world = await webhookWorld();
    const { url, backends } = await balancer();
    const options = { address: { url }, drainDelay: '1s' };
    const join = async () => {
      const joined = await replica(world, declare(world), options);
      backends.add(await joined.webhooks.port());
      return joined;
    };
    const team = [await join(), await join()];
    await untilAsked(world, team[0] as Replica);
    const running = load(world);
    for (let round = 0; round < 4; round++) {
      team.push(await join());
      const leaver = team.shift() as Replica;
      const port = await leaver.webhooks.port();
      const doneBefore = running.done;
      const leaving = leaver.stop();
      // Kubernetes needs a moment to take a pod out of its Service.
      await delay(300);
      backends.delete(port);
      expect(await leaving).toBeUndefined();
      await expect.poll(() => running.done).toBeGreaterThan(doneBefore + 20);
    }
    expect(running.failures).toEqual([]);
  });
});

describe('certificates in a folder', () => {
  it('are served, left to another to be trusted, and read again when they change', async () => {
    const world = await webhookWorld();
    const { client, namespace, gadget } = world;
    const folder = await mkdtemp(join(tmpdir(), 'certificates-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const time = { now: Date.now(), lifetime: 3_600_000 };
    const authority = createAuthority({ name: 'another', ...time });
    // As the kubelet does it: both files change in one instant.
    const put = async (version: string) => {
      const pair = issueLeaf(authority, { commonName: 'web', names: ['127.0.0.1'], usages: ['server'], ...time });
      for (const [name, text] of Object.entries({ 'tls.crt': pair.pem, 'tls.key': pair.exportKey() })) {
        await writeFile(join(folder, `${version}-${name}`), text);
        await symlink(`${version}-${name}`, join(folder, 'new'));
        await rename(join(folder, 'new'), join(folder, name));
      }
      return pair.pem;
    };
    await put('1');
    const certificates = { folder, injectCaFrom: `${namespace}/hooks` };
    const running = await replica(world, (webhooks) => webhooks.validate(world.Gadget, () => {}), { certificates });
    const live = await client.get(ValidatingWebhookConfiguration, { name: namespace });
    expect(live.metadata.annotations).toEqual({ 'cert-manager.io/inject-ca-from': `${namespace}/hooks` });
    expect(live.webhooks?.[0]?.clientConfig.caBundle).toBeUndefined();
    expect(await client.list(Secret, { namespace })).toMatchObject({ items: [] });
    // What cert-manager would do.
    const caBundle = Buffer.from(authority.pem).toString('base64');
    const inject = [{ op: 'add', path: '/webhooks/0/clientConfig/caBundle', value: caBundle }];
    await client.patch(ValidatingWebhookConfiguration, { name: namespace }, inject, { type: 'json' });
    await untilAsked(world, running);
    await gadget('a');
    const second = await put('2');
    const port = await running.webhooks.port();
    const served = () =>
      new Promise<string>((resolve, reject) => {
        const socket = connect({ port, host: '127.0.0.1', ca: authority.pem }, () => {
          resolve(socket.getPeerX509Certificate()?.toString() ?? '');
          socket.destroy();
        });
        socket.once('error', reject);
      });
    await expect.poll(async () => (await served()).trim(), { timeout: 20_000 }).toBe(second.trim());
    expect(
      (await client.get(ValidatingWebhookConfiguration, { name: namespace })).webhooks?.[0]?.clientConfig.caBundle,
    ).toBe(caBundle);
  });
});
