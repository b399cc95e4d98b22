import { request } from 'node:https';
import { type ClientError, ConfigMap, Secret, waitFor } from '@kurator/client';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@kurator/client/admissionregistration/v1';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLogger } from '../src/insight/logger.ts';
import { deny, forbid } from '../src/webhooks/denial.ts';
import type { Webhooks } from '../src/webhooks/webhooks.ts';
import {
  type OldGadget,
  type ReplicaOptions,
  replica,
  start,
  untilAsked,
  type World,
  webhookWorld,
} from './support/webhook-world.ts';

const refusal = (attempt: Promise<unknown>): Promise<ClientError> =>
  attempt.then(
    () => expect.unreachable('it was let through'),
    (error) => error,
  );

async function setUp(declare: (webhooks: Webhooks, world: World) => void, options?: ReplicaOptions) {
  const world = await webhookWorld();
  const running = await replica(world, (webhooks) => declare(webhooks, world), options);
  await untilAsked(world, running);
  return { ...world, ...running };
}

describe('a validating webhook', () => {
  it('refuses with the names of the fields, as the API server itself does, and nothing is stored', async () => {
    const { client, Gadget, namespace, gadget } = await setUp((webhooks, { Gadget }) =>
      webhooks.validate(Gadget, ({ object }) => [
        !object.spec.image?.includes(':') && deny('spec.image', 'must have a tag'),
        (object.spec.size ?? 0) > 3 && deny('spec.size', 'must be at most 3'),
      ]),
    );
    await expect(gadget('good')).resolves.toMatchObject({ metadata: { name: 'good' } });
    const error = await refusal(gadget('bad', { image: 'web', size: 4 }));
    expect(error).toMatchObject({
      code: 'KUR_CLIENT_INVALID',
      status: 422,
      causes: [
        { field: 'spec.image', reason: 'FieldValueInvalid', message: 'must have a tag' },
        { field: 'spec.size', reason: 'FieldValueInvalid', message: 'must be at most 3' },
      ],
    });
    expect(error.message).toContain('"bad" is invalid: [spec.image: must have a tag, spec.size: must be at most 3]');
    expect(await client.find(Gadget, { name: 'bad', namespace })).toBeUndefined();
  });

  it('knows who does what to which object, and which it was before', async () => {
    const seen: object[] = [];
    const { client, Gadget, namespace, gadget } = await setUp((webhooks, { Gadget }) =>
      webhooks.validate(
        Gadget,
        ({ signal: _, warn: __, uid: ___, ...call }) => {
          if (call.name.startsWith('probe')) return;
          seen.push(call);
          return call.operation === 'DELETE' ? forbid('it is needed') : undefined;
        },
        { operations: ['CREATE', 'UPDATE', 'DELETE'] },
      ),
    );
    await gadget('a', { image: 'web:1' });
    await client.patch(Gadget, { name: 'a', namespace }, { spec: { image: 'web:2' } });
    await client.patch(Gadget, { name: 'a', namespace }, { status: { seen: true } }, { subresource: 'status' });
    expect(await refusal(client.delete(Gadget, { name: 'a', namespace }))).toMatchObject({
      code: 'KUR_CLIENT_FORBIDDEN',
      message: expect.stringContaining('denied the request: it is needed'),
    });
    const common = { name: 'a', namespace, subresource: undefined, dryRun: false };
    const user = { username: 'kurator-admin', groups: expect.arrayContaining(['system:authenticated']) };
    const [one, two] = ['web:1', 'web:2'].map((image) => expect.objectContaining({ spec: { image } }));
    expect(seen).toMatchObject([
      { ...common, user, operation: 'CREATE', object: one, oldObject: undefined },
      { ...common, user, operation: 'UPDATE', object: two, oldObject: one },
      { ...common, user, operation: 'DELETE', object: two, oldObject: two },
    ]);
  });

  it('is told of a dry run, and what it objects to then is refused too', async () => {
    const runs: boolean[] = [];
    const { client, Gadget, namespace } = await setUp((webhooks, { Gadget }) =>
      webhooks.validate(Gadget, ({ dryRun, name, object }) => {
        if (name === 'dry') runs.push(dryRun);
        return object.spec.size === 0 ? deny('spec.size', 'must not be 0') : undefined;
      }),
    );
    const manifest = (size: number) => ({ metadata: { name: 'dry', namespace }, spec: { size } });
    await client.create(Gadget, manifest(1), { dryRun: true });
    expect(await refusal(client.create(Gadget, manifest(0), { dryRun: true }))).toMatchObject({ status: 422 });
    expect(runs).toEqual([true, true]);
    expect(await client.find(Gadget, { name: 'dry', namespace })).toBeUndefined();
  });

  it('may warn the user', async () => {
    const { client, Gadget, namespace } = await setUp((webhooks, { Gadget }) =>
      webhooks.validate(Gadget, ({ warn }) => warn('spec.note will go away')),
    );
    const [group] = Gadget.apiVersion.split('/');
    const { ca, cert, key, server } = client.config;
    const url = `${server}/apis/${group}/v1/namespaces/${namespace}/gadgets`;
    const warning = await new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const sent = request(url, { method: 'POST', ca, cert, key, headers }, (response) => {
        response.resume();
        resolve(response.headers.warning);
      });
      sent.once('error', reject);
      sent.end(JSON.stringify({ apiVersion: Gadget.apiVersion, kind: 'Gadget', metadata: { name: 'w' }, spec: {} }));
    });
    expect(warning).toBe('299 - "spec.note will go away"');
  });

  it('is asked about what is sent in another version of the kind, in the version that it knows', async () => {
    const seen: unknown[] = [];
    const { client, OldGadget, namespace } = await setUp((webhooks, { Gadget }) => {
      webhooks.convert(Gadget, {
        v1alpha1: {
          toStorage: ({ spec }: OldGadget) => ({ spec: { size: Number(spec.size) } }),
          fromStorage: ({ spec }) => ({ spec: { size: String(spec.size) } }),
        },
      });
      webhooks.validate(Gadget, ({ object, name }) => {
        if (name === 'old') seen.push(object.spec.size);
      });
    });
    await client.create(OldGadget, { metadata: { name: 'old', namespace }, spec: { size: '7' } });
    expect(seen).toEqual([7]);
  });
});

describe('a mutating webhook', () => {
  it('completes objects before they are validated and stored', async () => {
    const validated: unknown[] = [];
    const { gadget } = await setUp((webhooks, { Gadget }) => {
      webhooks.mutate(Gadget, ({ object }) => {
        object.spec.size ??= 2;
        object.metadata.labels = { ...object.metadata.labels, tier: 'web' };
      });
      webhooks.validate(Gadget, ({ object, name }) => {
        if (name === 'a') validated.push(object.spec);
      });
    });
    expect(await gadget('a')).toMatchObject({
      spec: { image: 'web:1', size: 2 },
      metadata: { labels: { tier: 'web' } },
    });
    expect(validated).toEqual([{ image: 'web:1', size: 2 }]);
    expect(await gadget('b', { size: 9 })).toMatchObject({ spec: { size: 9 } });
  });

  it('may refuse', async () => {
    const { gadget } = await setUp((webhooks, { Gadget }) =>
      webhooks.mutate(Gadget, ({ name }) => (name === 'bad' ? deny('metadata.name', 'must be good') : undefined)),
    );
    expect(await refusal(gadget('bad'))).toMatchObject({ causes: [{ field: 'metadata.name' }] });
  });
});

describe('when a handler is in trouble', () => {
  it('and throws, the request is refused, and only the log knows why', async () => {
    const lines: string[] = [];
    const { gadget } = await setUp(
      (webhooks, { Gadget }) =>
        webhooks.validate(Gadget, ({ name }) => {
          if (name === 'bad') throw new Error('no connection to postgres://db.internal');
        }),
      { logger: createLogger({ write: (line) => void lines.push(line) }) },
    );
    const { message, status } = await refusal(gadget('bad'));
    expect(status).toBe(500);
    expect(message).toMatch(/denied the request: it failed; the operator's log says why, under the uid [-0-9a-f]+/);
    expect(message).not.toContain('postgres');
    const uid = /uid ([-0-9a-f]+)/.exec(message)?.[1] ?? '';
    expect(lines.filter((line) => line.includes(uid))).toEqual([expect.stringContaining('postgres://db.internal')]);
  });

  it('and throws where failures are to be ignored, the request goes through', async () => {
    const { gadget } = await setUp((webhooks, { Gadget }) =>
      webhooks.validate(Gadget, () => expect.unreachable('it broke'), { failurePolicy: 'Ignore' }),
    );
    await expect(gadget('a')).resolves.toBeDefined();
  });

  it('and hangs, the request is refused before the API server gives up, and the handler is told', async () => {
    const stopped = Promise.withResolvers<unknown>();
    const { gadget } = await setUp((webhooks, { Gadget }) =>
      webhooks.validate(
        Gadget,
        async ({ signal, name }) => {
          if (name !== 'slow') return;
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          stopped.resolve(signal.reason);
        },
        // So long that the way to the webhook and back fits into what is kept for it, however busy this machine is.
        { timeout: '5s' },
      ),
    );
    const error = await refusal(gadget('slow'));
    expect(error).toMatchObject({ status: 504, message: expect.stringContaining('it took too long to decide') });
    expect(await stopped.promise).toMatchObject({ code: 'KUR_RUNTIME_WEBHOOK_TIMEOUT' });
  });

  it('and objects are too large for it, they are refused', async () => {
    const { gadget } = await setUp((webhooks, { Gadget }) => webhooks.validate(Gadget, () => {}), {
      limits: { admission: 20_000 },
    });
    await expect(gadget('small')).resolves.toBeDefined();
    const { message } = await refusal(gadget('large', { note: 'x'.repeat(20_000) }));
    expect(message).toContain('the body must be of at most 20000 bytes');
  });

  it('and an older registration names a path that is served no longer, requests are refused with that path', async () => {
    const { client, namespace, webhooks, gadget } = await setUp((webhooks, { Gadget }) =>
      webhooks.validate(Gadget, () => {}),
    );
    const live = await client.get(ValidatingWebhookConfiguration, { name: namespace });
    const [webhook] = live.webhooks ?? [];
    if (!webhook) expect.unreachable();
    webhook.clientConfig.url = `https://127.0.0.1:${await webhooks.port()}/validate/gone`;
    const name = `${namespace}-old`;
    await client.create(ValidatingWebhookConfiguration, {
      metadata: { name },
      webhooks: [{ ...webhook, name: 'old.gadgets.test' }],
    });
    onTestFinished(() => client.delete(ValidatingWebhookConfiguration, { name }));
    await expect
      .poll(async () => await gadget(`x-${performance.now()}`).catch(({ message }) => message))
      .toContain('there is no webhook at /validate/gone');
  });
});

describe('the registration', () => {
  it('is ready only when it is in place, and says why it is not', async () => {
    const world = await webhookWorld();
    const readOnly = { ...world.client, create: () => Promise.reject(new Error('no permission to create')) };
    const { manager } = start({ ...world, client: readOnly as typeof world.client }, (webhooks) =>
      webhooks.validate(world.Gadget, () => {}),
    );
    const ready = async () => (await manager.readiness()).checks.find(({ name }) => name === 'webhooks');
    await expect.poll(ready).toEqual({
      name: 'webhooks',
      ok: false,
      reason: 'there is no certificate to serve yet: no permission to create',
    });
    expect(manager.phase).toBe('starting');
    readOnly.create = world.client.create as never;
    await expect.poll(ready).toEqual({ name: 'webhooks', ok: true });
    await expect.poll(() => manager.phase).toBe('running');
  });

  it('comes back when somebody deletes it; an emergency change of its failure policy stays', async () => {
    const { client, namespace } = await setUp((webhooks, { Gadget }) => webhooks.validate(Gadget, () => {}));
    const ref = { name: namespace };
    const [webhook] = (await client.get(ValidatingWebhookConfiguration, ref)).webhooks ?? [];
    const ignore = [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' }];
    await client.patch(ValidatingWebhookConfiguration, ref, ignore, { type: 'json' });
    const noBundle = [{ op: 'remove', path: '/webhooks/0/clientConfig/caBundle' }];
    await client.patch(ValidatingWebhookConfiguration, ref, noBundle, { type: 'json' });
    await waitFor(client, ValidatingWebhookConfiguration, ref, ({ webhooks }) => {
      const [now] = webhooks ?? [];
      return now?.clientConfig.caBundle === webhook?.clientConfig.caBundle && now?.failurePolicy === 'Ignore';
    });
    await client.delete(ValidatingWebhookConfiguration, ref);
    await waitFor(
      client,
      ValidatingWebhookConfiguration,
      ref,
      ({ webhooks }) => webhooks?.[0]?.failurePolicy === 'Fail',
    );
  });

  it('of a release that has no such webhooks any more is emptied, so that nothing waits for an answer', async () => {
    const world = await webhookWorld();
    const { client, Gadget, namespace, gadget } = world;
    const old = await replica(world, (webhooks) => {
      webhooks.mutate(Gadget, () => {});
      webhooks.validate(Gadget, () => {});
    });
    await old.stop();
    await replica(world, (webhooks) => webhooks.validate(Gadget, () => {}));
    expect((await client.get(MutatingWebhookConfiguration, { name: namespace })).webhooks ?? []).toEqual([]);
    await expect.poll(() => gadget('a').then(() => 'stored', String)).toBe('stored');
  });

  it('leaves the operator’s own namespace alone where the kind is one of Kubernetes', async () => {
    const world = await webhookWorld();
    const { client, namespace } = world;
    const options = { objectSelector: { matchLabels: { test: namespace } } };
    await replica(world, (webhooks) => webhooks.validate(ConfigMap, () => forbid('no'), options));
    const make = (where: string) => {
      const metadata = { generateName: 'x-', namespace: where, labels: { test: namespace } };
      return client.create(ConfigMap, { metadata }, { dryRun: true }).then(() => 'stored', String);
    };
    await expect.poll(() => make('default')).toContain('denied the request: no');
    expect(await make(namespace)).toBe('stored');
  });
});

describe('whoever runs it', () => {
  it('sees what it was asked, how quickly it answered, and until when its certificate is good', async () => {
    const { manager, Gadget } = await setUp((webhooks, { Gadget }) => webhooks.validate(Gadget, () => {}));
    const { body } = await manager.metrics.text();
    const path = `/validate/${Gadget.apiVersion}/gadgets`;
    expect(body).toMatch(
      new RegExp(`controller_runtime_webhook_requests_total\\{webhook="${path}",code="200"\\} [1-9]`),
    );
    expect(body).toMatch(new RegExp(`controller_runtime_webhook_latency_seconds_count\\{webhook="${path}"\\} [1-9]`));
    expect(body).toContain(`controller_runtime_webhook_requests_in_flight{webhook="${path}"} 0`);
    const expiry = Number(/^kurator_webhook_certificate_expiry_seconds (\S+)/m.exec(body)?.[1]);
    expect(expiry).toBeGreaterThan(Date.now() / 1000 + 80 * 86_400);
  });

  it('never finds a key in the logs', async () => {
    const lines: string[] = [];
    const { client, namespace } = await setUp((webhooks, { Gadget }) => webhooks.validate(Gadget, () => {}), {
      logger: createLogger({ level: 'trace', write: (line) => void lines.push(line) }),
    });
    const { data } = await client.get(Secret, { name: `${namespace}-webhooks`, namespace });
    expect(lines.length).toBeGreaterThan(2);
    for (const name of ['tls.key', 'ca.key']) {
      const [, key = ''] = Buffer.from(data?.[name] ?? '', 'base64')
        .toString('utf8')
        .split('\n');
      expect(key.length).toBeGreaterThan(20);
      expect(lines.join()).not.toContain(key);
    }
  });

  it('ends with a clear error when the port is taken', async () => {
    const { webhooks, ...world } = await setUp((webhooks, { Gadget }) => webhooks.validate(Gadget, () => {}));
    const port = await webhooks.port();
    const second = start(world, (other) => other.validate(world.Gadget, () => {}), {
      listen: { host: '127.0.0.1', port },
    });
    expect(await second.ended).toMatchObject({ cause: { code: 'KUR_RUNTIME_LISTEN' } });
  });
});
