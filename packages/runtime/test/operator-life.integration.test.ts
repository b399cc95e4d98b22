// What surrounds the reconciles: schedules for each object, what is left when it goes, webhooks, and the process itself.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { rootCertificates } from 'node:tls';
import { type Client, ConfigMap, Lease, waitFor, waitUntilGone } from '@kurator/client';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@kurator/client/admissionregistration/v1';
import { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import { type ObjectOf, resource } from '@kurator/schema';
import { sharedClient, testNamespace } from '@kurator/testenv';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { deny, installCrds, type Operator, operator, type RunningOperator } from '../src/index.ts';
import { Garden, quietly } from './support/garden.ts';

let client: Client;
let namespace: string;
let running: RunningOperator[];

beforeEach(async () => {
  client = await sharedClient();
  namespace = await testNamespace(client, 'garden');
  running = [];
});

afterEach(async () => {
  await Promise.all(running.map((operator) => operator.stop()));
  await client.close();
});

async function start(operator: Operator): Promise<RunningOperator> {
  const started = await operator.start(quietly(client, namespace));
  running.push(started);
  return started;
}

const here = (name: string) => ({ name, namespace });

describe('schedules', () => {
  it('run for each object as long as it lives, and a clean-up waits for them', async () => {
    const story: string[] = [];
    const busy = operator()
      .controller(Garden)
      .every('20ms', (garden, { log }) => {
        log.debug('watering');
        story.push(`water ${garden.metadata.name}`);
      })
      .daemon(async ({ metadata }, { signal, current }) => {
        story.push(`watch ${metadata.name} ${current()?.spec.soil}`);
        await once(signal, 'abort');
        story.push('unwatch');
      })
      .cleanup(() => void story.push('cleanup'))
      .reconcile(() => {});
    await start(busy);
    await client.create(Garden, { metadata: here('rose'), spec: { beds: [], soil: 'loam' } });
    await vi.waitFor(() => expect(story.filter((word) => word === 'water rose').length).toBeGreaterThan(2), 20_000);
    expect(story).toContain('watch rose loam');
    await client.delete(Garden, here('rose'));
    await waitUntilGone(client, Garden, here('rose'));
    expect(story.filter((word) => !word.startsWith('water')).slice(1)).toEqual(['unwatch', 'cleanup']);
    const waterings = story.length;
    await client.create(Garden, { metadata: here('tulip'), spec: { beds: [] } });
    await vi.waitFor(() => expect(story).toContain('water tulip'), 20_000);
    expect(story.slice(waterings)).not.toContain('water rose');
  });

  it('by cron are remembered on the object, which causes no reconcile', async () => {
    const reconcile = vi.fn(() => ({ status: { planted: 1 } }));
    const runs = vi.fn();
    await start(operator().controller(Garden).cron('* * * * * *', runs, { name: 'rain' }).reconcile(reconcile));
    await client.create(Garden, { metadata: here('rose'), spec: { beds: [] } });
    const note = 'kurator.dev/last-run.garden-rain';
    await waitFor(client, Garden, here('rose'), ({ metadata }) => metadata.annotations?.[note] !== undefined);
    await vi.waitFor(() => expect(runs.mock.calls.length).toBeGreaterThan(1), 20_000);
    expect(reconcile).toHaveBeenCalledTimes(1);
  });
});

describe('clean-up that a kind declares', () => {
  const common = { group: 'cleanup.test.kurator.dev', version: 'v1', spec: z.object({}) };
  const Keeper = resource({ ...common, kind: 'Keeper', cleanup: { children: 'orphan' } });
  const Lender = resource({ ...common, kind: 'Lender', cleanup: { children: { keepFor: '2s' } } });
  const Task = resource({
    ...common,
    kind: 'Task',
    cleanup: { finished: { when: { condition: 'Ready' }, removeAfter: '1s' } },
  });
  const withChild = (type: typeof Keeper) =>
    operator()
      .controller(type)
      .owns(ConfigMap)
      .reconcile(
        async ({ metadata }, { apply }) => void (await apply(ConfigMap, { metadata: { name: metadata.name } })),
      );

  it('leaves children behind, and takes them up again for an object of the same name', async () => {
    await start(withChild(Keeper));
    await client.create(Keeper, { metadata: here('a'), spec: {} });
    const { metadata } = await waitFor(client, ConfigMap, here('a'), () => true);
    expect(metadata.ownerReferences).toBeUndefined();
    await client.delete(Keeper, here('a'));
    await waitUntilGone(client, Keeper, here('a'));
    const again = await client.create(Keeper, { metadata: here('a'), spec: {} });
    const isTaken = (child: ConfigMap) => child.metadata.labels?.['kurator.dev/owner-uid'] === again.metadata.uid;
    const taken = await waitFor(client, ConfigMap, here('a'), isTaken);
    expect(taken.metadata.uid).toBe(metadata.uid);
  });

  it('keeps children for a time, over a restart of the operator, and then deletes them', async () => {
    const first = await start(withChild(Lender));
    await client.create(Lender, { metadata: here('a'), spec: {} });
    await waitFor(client, ConfigMap, here('a'), () => true);
    await client.delete(Lender, here('a'));
    await waitUntilGone(client, Lender, here('a'));
    await first.stop();
    const kept = await client.get(ConfigMap, here('a'));
    expect(kept.metadata.annotations?.['kurator.dev/delete-after']).toMatch(/^\d{4}-/);
    await start(withChild(Lender));
    await waitUntilGone(client, ConfigMap, here('a'));
  });

  it('removes what is done', async () => {
    await start(
      operator()
        .controller(Task)
        .reconcile(() => {}),
    );
    await client.create(Task, { metadata: here('a'), spec: {} });
    await waitFor(client, Task, here('a'), ({ status }) => status?.conditions?.[0]?.status === 'True');
    await waitUntilGone(client, Task, here('a'));
  });
});

describe('webhooks', () => {
  const fenceOf = (group: string) =>
    resource({
      group,
      version: 'v2',
      kind: 'Fence',
      spec: z.object({ meters: z.int(), color: z.string().optional() }),
    }).withVersion('v1', {
      spec: z.object({ feet: z.int() }),
      convert: {
        toHub: ({ spec }) => ({ spec: { meters: Math.round(spec.feet * 0.3) } }),
        fromHub: ({ spec }) => ({ spec: { feet: Math.round(spec.meters / 0.3) } }),
      },
    });
  const Fence = fenceOf('fence.test.kurator.dev');
  type Fence = ObjectOf<typeof Fence>;
  const fences = (type = Fence, name = 'fence-operator') =>
    operator({ name })
      .controller(type)
      .validate(({ spec }) => spec.meters !== 13 || deny('spec.meters', 'must not be 13'))
      .mutate((fence) => {
        fence.spec.color ??= 'green';
      })
      .reconcile(() => {});
  const fence = (name: string, spec: Fence['spec']) => client.create(Fence, { metadata: here(name), spec });

  it('refuse, complete and convert, and are withdrawn when a desk’s operator stops', async () => {
    await installCrds(client, [Fence]);
    const started = await fences().start({ ...quietly(client, namespace), installCrds: 'never' });
    expect((await fence('a', { meters: 3 })).spec.color).toBe('green');
    await expect(fence('b', { meters: 13 })).rejects.toThrow('spec.meters: must not be 13');
    expect((await client.get(Fence.at('v1'), here('a'))).spec).toEqual({ feet: 10 });
    await client.create(Fence.at('v1'), { metadata: here('c'), spec: { feet: 100 } });
    expect((await client.get(Fence, here('c'))).spec.meters).toBe(30);
    await started.stop();
    await waitUntilGone(client, ValidatingWebhookConfiguration, { name: 'fence-operator' });
    const definition = { name: 'fences.fence.test.kurator.dev' };
    expect((await client.get(CustomResourceDefinition, definition)).spec.conversion).toEqual({ strategy: 'None' });
    await client.delete(CustomResourceDefinition, definition);
  });

  it('of an operator that is deployed are put back as they were when a desk’s operator stops', async () => {
    const name = 'deployed-fences';
    const group = `${name}.test.kurator.dev`;
    const definition = { name: `fences.${group}` };
    await installCrds(client, [fenceOf(group)]);
    const service = { name, namespace, path: '/convert', port: 443 };
    const caBundle = Buffer.from(rootCertificates[0] ?? '').toString('base64');
    const clientConfig = { service, caBundle };
    const conversion = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } };
    await client.patch(CustomResourceDefinition, definition, { spec: { conversion } });
    const labels = { 'app.kubernetes.io/managed-by': 'Helm' };
    const rules = [{ apiGroups: [group], apiVersions: ['v2'], operations: ['CREATE' as const], resources: ['fences'] }];
    const how = { sideEffects: 'None', failurePolicy: 'Ignore' } as const;
    const webhooks = [{ name: `served.${group}`, clientConfig, rules, admissionReviewVersions: ['v1'], ...how }];
    const deployed = await client.create(ValidatingWebhookConfiguration, { metadata: { name, labels }, webhooks });
    const conversionNow = async () => (await client.get(CustomResourceDefinition, definition)).spec.conversion;
    const before = await conversionNow();

    const startDesk = async () => {
      const desk = await fences(fenceOf(group), name).start({ ...quietly(client, namespace), installCrds: 'never' });
      await vi.waitFor(
        async () => expect((await conversionNow())?.webhook?.clientConfig?.url).toMatch(/^https:/),
        10_000,
      );
      return desk;
    };
    const started = await startDesk();
    const { metadata, spec } = await client.get(CustomResourceDefinition, definition);
    const taken = await client.get(ValidatingWebhookConfiguration, { name });
    expect(taken.webhooks?.map((one) => one.clientConfig.service)).toEqual([undefined]);
    expect(await client.find(MutatingWebhookConfiguration, { name })).toBeDefined();
    await started.stop();

    expect(await conversionNow()).toEqual(before);
    const restored = await client.get(ValidatingWebhookConfiguration, { name });
    expect(restored.webhooks).toEqual(deployed.webhooks);
    expect(restored.metadata).toMatchObject({ labels, uid: deployed.metadata.uid });
    expect(await client.find(MutatingWebhookConfiguration, { name })).toBeUndefined();

    // As a desk leaves it that is killed: the next one puts the same back.
    const left = { op: 'replace', path: '/spec/conversion', value: spec.conversion };
    const kept = { op: 'add', path: '/metadata/annotations', value: metadata.annotations };
    await client.patch(CustomResourceDefinition, definition, [left, kept], { type: 'json' });
    await (await startDesk()).stop();
    expect(await conversionNow()).toEqual(before);
    const { metadata: after } = await client.get(CustomResourceDefinition, definition);
    expect(Object.keys(after.annotations ?? {})).not.toContain('kurator.dev/registration-before-dev');
    await client.delete(ValidatingWebhookConfiguration, { name });
    await client.delete(CustomResourceDefinition, definition);
  });

  it('need permissions that follow from them', async () => {
    const { cluster, own } = await fences().permissions();
    expect(cluster.flatMap(({ resources = [] }) => resources)).toEqual(
      expect.arrayContaining([
        'validatingwebhookconfigurations',
        'mutatingwebhookconfigurations',
        'customresourcedefinitions',
      ]),
    );
    expect(own).toContainEqual({
      apiGroups: [''],
      resources: ['secrets'],
      resourceNames: ['fence-operator-webhooks'],
      verbs: ['get', 'watch', 'update'],
    });
  });
});

describe('sharding', () => {
  it('lets replicas share the objects, and take over what another leaves', async () => {
    const timing = { leaseDuration: '30s', renewDeadline: '20s', retryPeriod: '300ms' };
    const sharding = { namespace, shards: 16, ...timing };
    const names = Array.from({ length: 24 }, (_, i) => `g${i}`);
    const replica = async () => {
      const done = new Set<string>();
      const operate = operator()
        .controller(Garden)
        .reconcile(({ metadata }) => void done.add(metadata.name));
      const started = await operate.start({ ...quietly(client, namespace), sharding });
      running.push(started);
      return { done, started };
    };
    const [one, two] = [await replica(), await replica()];
    for (const name of names) await client.create(Garden, { metadata: here(name), spec: { beds: [] } });
    // The second has joined once it has something to do: until then the first has it all.
    await vi.waitFor(() => {
      expect(one.done.union(two.done).size).toBe(names.length);
      expect(two.done.size).toBeGreaterThan(0);
    }, 15_000);
    const shared = names.filter((name) => one.done.has(name) && two.done.has(name));
    const before = two.done.size;
    await one.started.stop();
    await vi.waitFor(() => expect(two.done.size).toBe(names.length), 15_000);
    // Some may have changed hands when the second joined; not all can have.
    expect([shared.length < names.length, before < names.length]).toEqual([true, true]);
  });
});

describe('definitions', () => {
  it('are waited for where nobody may install them', async () => {
    const Late = resource({
      group: 'late.test.kurator.dev',
      version: 'v1',
      kind: 'Late',
      plural: 'lates',
      spec: z.object({}),
    });
    const late = operator()
      .controller(Late)
      .reconcile(() => {});
    const starting = late.start({ ...quietly(client, namespace), installCrds: 'never' });
    const first = await Promise.race([starting, client.list(ConfigMap).then(() => 'waiting')]);
    expect(first).toBe('waiting');
    await installCrds(client, [Late]);
    running.push(await starting);
    await client.create(Late, { metadata: here('a'), spec: {} });
    await waitFor(client, Late, here('a'), ({ status }) => status?.observedGeneration === 1);
  });
});

describe('definitions that change', () => {
  const tool = (spec: z.ZodObject) => resource({ group: 'tool.test.kurator.dev', version: 'v1', kind: 'Tool', spec });
  const oldTool = tool(z.object({ size: z.int().optional(), color: z.string().optional() }));
  const schemaOf = async () => {
    const { spec } = await client.get(CustomResourceDefinition, { name: 'tools.tool.test.kurator.dev' });
    return spec.versions[0]?.schema?.openAPIV3Schema?.properties?.spec?.properties ?? {};
  };

  it('are updated where nothing is harmed, and otherwise refused with the reason, and left as they are', async () => {
    await installCrds(client, [oldTool]);
    const wider = tool(
      z.object({ size: z.int().optional(), color: z.string().optional(), sharp: z.boolean().optional() }),
    );
    await installCrds(client, [wider]);
    expect(Object.keys(await schemaOf()).sort()).toEqual(['color', 'sharp', 'size']);
    await expect(installCrds(client, [oldTool])).rejects.toMatchObject({
      code: 'KUR_RUNTIME_INCOMPATIBLE',
      message: expect.stringContaining('spec.sharp: the field is gone'),
    });
    expect(Object.keys(await schemaOf()).sort()).toEqual(['color', 'sharp', 'size']);
    const onProgress = vi.fn();
    await installCrds(client, [oldTool], { policy: 'missing', onProgress });
    expect(onProgress.mock.calls.flat()).toEqual([expect.stringContaining("is another than the program's")]);
    onProgress.mockClear();
    await installCrds(client, [wider], { policy: 'missing', onProgress });
    expect(onProgress).not.toHaveBeenCalled();
  });
});

describe('the process', () => {
  const program = join(import.meta.dirname, 'support', 'garden-process.ts');
  const run = (env: Record<string, string | undefined>) => {
    const child = spawn(process.execPath, ['--conditions=source', program], {
      env: { ...process.env, KUBECONFIG: process.env.KURATOR_TEST_KUBECONFIG, WATCH_NAMESPACE: namespace, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return { child, stdout: text(child.stdout), stderr: text(child.stderr), ended: once(child, 'exit') };
  };

  it('works, and ends in order when it is asked to', async () => {
    const { child, ended } = run({});
    await installCrds(client, [Garden]);
    await client.create(Garden, { metadata: here('rose'), spec: { beds: [] } });
    await waitFor(client, Garden, here('rose'), ({ status }) => status?.planted === 42, { timeout: 60_000 });
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it('says why it can’t start, and ends with exit code 1', async () => {
    const { ended, stderr } = run({ KUBECONFIG: '/nowhere/kubeconfig' });
    expect(await ended).toEqual([1, null]);
    expect(await stderr).toContain("garden-operator: the kubeconfig /nowhere/kubeconfig can't be read");
  });

  it('ends with exit code 1 when it loses the lead', async () => {
    const { child, ended, stderr } = run({ LEASE_NAMESPACE: namespace });
    await installCrds(client, [Garden]);
    await client.create(Garden, { metadata: here('rose'), spec: { beds: [] } });
    await waitFor(client, Garden, here('rose'), ({ status }) => status?.planted === 42, { timeout: 60_000 });
    child.kill('SIGSTOP');
    await client.patch(Lease, here('garden-operator'), { spec: { holderIdentity: 'somebody-else' } });
    child.kill('SIGCONT');
    expect(await ended).toEqual([1, null]);
    expect(await stderr).toMatch(/garden-operator: .*\(KUR_RUNTIME_LEADERSHIP_LOST\)/s);
  });

  it('prints what it would do instead of doing it', async () => {
    await installCrds(client, [Garden]);
    await client.create(Garden, { metadata: here('rose'), spec: { beds: [] } });
    const { ended, stdout } = run({ KURATOR_DRY_RUN: '1' });
    expect(await ended).toEqual([0, null]);
    expect(await stdout).toMatch(/^~ Garden \S*\/rose\n.*status\.planted: 42\n.*nothing was written\n$/s);
    expect((await client.get(Garden, here('rose'))).status).toBeUndefined();
  });
});
