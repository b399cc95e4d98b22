// What the scorecard sees when it upgrades an operator, and when it deletes an object and brings it back: a real operator in
// this process, whose versions the test starts and stops as the controller of its Deployment and a kubelet would.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeSession } from '@kurator/command/testing';
import { crdOf } from '@kurator/schema';
import {
  ConfigMap,
  Deployment,
  installCrds,
  isNotFound,
  operator,
  type RunningOperator,
  resource,
  z,
} from '@kurator/sdk';
import { type TestScope, testScope } from '@kurator/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCommandLine } from '../src/program.ts';
import type { Report } from '../src/scorecard/report.ts';

const kubeconfig = process.env.KURATOR_TEST_KUBECONFIG ?? '';
const name = 'garden-operator';
const Garden = resource({
  group: 'scorecard.example.com',
  version: 'v1',
  kind: 'Garden',
  spec: z.object({ beds: z.int() }),
});

/** What its Deployment says. */
const deployed = (image: string) => ({
  selector: { matchLabels: { app: name } },
  template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'operator', image }] } },
});

let test: TestScope;
let bundle: string;

beforeAll(async () => {
  bundle = await mkdtemp(join(tmpdir(), 'kur-'));
  await mkdir(join(bundle, 'manifests'));
  const roses = { apiVersion: 'scorecard.example.com/v1', kind: 'Garden', metadata: { name: 'roses' } };
  const examples = JSON.stringify([{ ...roses, spec: { beds: 3 } }]);
  const csv = {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: { name: `${name}.v1.0.0`, annotations: { 'alm-examples': examples } },
    spec: { version: '1.0.0', install: { spec: { deployments: [{ name, spec: deployed('garden:1') }] } } },
  };
  for (const object of [csv, crdOf(Garden)]) {
    await writeFile(join(bundle, 'manifests', `${object.kind}.json`), JSON.stringify(object));
  }
});
afterAll(async () => await rm(bundle, { recursive: true }));
beforeEach(async () => {
  test = await testScope('scorecard');
  await installCrds(test.client, [Garden]);
});
afterEach(async () => await test.end());

/** What is wrong with a version of the operator. */
interface Version {
  /** It changes what people have written. */
  readonly isGreedy?: boolean;
  /** It does nothing for an object whose name it has seen go. */
  readonly isStubborn?: boolean;
  /** No pod of it becomes available, and those before it are gone. */
  readonly isDown?: boolean;
  /** Its pods are never all replaced once another version was there. */
  readonly isSlowToReturn?: boolean;
}

const versions: Readonly<Record<string, Version>> = {
  'garden:greedy': { isGreedy: true },
  'garden:stubborn': { isStubborn: true },
  'garden:down': { isDown: true },
  'garden:slow': { isSlowToReturn: true },
};

function gardener({ isGreedy, isStubborn }: Version) {
  const gone = new Set<string>();
  return operator({ name })
    .controller(Garden)
    .owns(ConfigMap)
    .cleanup(async ({ metadata }, { client }) => {
      if (isStubborn) gone.add(metadata.name);
      // Nobody collects here what is left over.
      await client.delete(ConfigMap, metadata).catch((error) => {
        if (!isNotFound(error)) throw error;
      });
    })
    .reconcile(async ({ metadata, spec: { beds } }, { apply, client }) => {
      if (isGreedy && beds > 0) await client.patch(Garden, metadata, { spec: { beds: 0 } });
      const data = { beds: String(beds) };
      if (!gone.has(metadata.name)) await apply(ConfigMap, { metadata: { name: metadata.name }, data });
      return { conditions: [{ type: 'Ready', status: 'True', reason: 'Planted' }] };
    });
}

/** Runs what the image of a Deployment says, and says of it what there would be to say. */
function controllerOfDeployments() {
  const images = new Set<string>();
  let running: RunningOperator | undefined;
  let rolled = '';
  const roll = async ({ isDown, ...version }: Version) => {
    await running?.stop();
    const options = { namespaces: undefined, leaderElection: false, installCrds: 'never' };
    running = isDown ? undefined : await test.start(gardener(version), options);
  };
  return operator({ name: 'controller-manager' })
    .controller(Deployment)
    .reconcile(async ({ metadata, spec }, { client }) => {
      const image = spec?.template.spec?.containers[0]?.image ?? '';
      const version = versions[image] ?? {};
      const template = JSON.stringify(spec?.template);
      if (template !== rolled) await roll(version);
      rolled = template;
      images.add(image);
      const available = running ? 1 : 0;
      const updated = version.isSlowToReturn && images.size > 1 ? 0 : available;
      const replicas = { updatedReplicas: updated, readyReplicas: available, availableReplicas: available };
      const status = { observedGeneration: metadata.generation, replicas: 1, ...replicas };
      await client.patch(Deployment, metadata, { status }, { subresource: 'status' });
    });
}

/** Deploys one version, and has the scorecard upgrade to another one: its lines by their id, and the Deployment after it. */
async function scored(image: string, upgradeTo: string, timeout = '30s') {
  const { client, namespace } = test;
  const metadata = { name, namespace };
  const before = await client.create(Deployment, { metadata, spec: deployed(image) }, { fieldManager: 'somebody' });
  await test.start(controllerOfDeployments());
  const session = fakeSession();
  const how = ['--disruptive', '--yes', '--upgrade-to', upgradeTo, '--timeout', timeout, '-o', 'json'];
  const where = ['--bundle', bundle, '--monitoring', bundle, '-n', namespace, '--kubeconfig', kubeconfig];
  await runCommandLine(['scorecard', ...where, ...how], session);
  const { levels } = JSON.parse(session.said.stdout) as Report;
  const lines = Object.fromEntries(levels.flatMap((level) => level.lines).map(({ id, ...line }) => [id, line]));
  return { lines, before, after: await client.get(Deployment, metadata) };
}

/** What is known to have been said by who deployed it. */
const ownedBySomebody = ({ metadata }: Deployment) =>
  metadata.managedFields?.filter(({ manager }) => manager === 'somebody').map(({ fieldsV1 }) => fieldsV1);

describe('an upgrade', () => {
  it('and a restore are seen to go through, and the Deployment is as it was, whoever had said so', async () => {
    const { lines, before, after } = await scored('garden:1', 'garden:2');
    expect(lines).toMatchObject({
      'install-reconciled': { result: 'met' },
      'upgrade-rolling': { result: 'met', reason: 'it went through; 1 objects are as they were' },
      'upgrade-image': { result: 'met', reason: 'it went through; 1 objects are as they were' },
      'lifecycle-remade': { result: 'met' },
      'lifecycle-restore': { result: 'met', reason: expect.stringMatching(/^Garden roses went .* with 1 objects/) },
    });
    expect(after.spec?.template.spec?.containers[0]?.image).toBe('garden:1');
    expect(ownedBySomebody(after)).toEqual(ownedBySomebody(before));
  });

  it('after which something is not as it was is not met', async () => {
    const { lines } = await scored('garden:1', 'garden:greedy');
    expect(lines['upgrade-image']).toMatchObject({
      result: 'unmet',
      reason: expect.stringMatching(/^the spec of Garden kurator-scorecard-garden-operator-\w+\/roses has changed$/),
    });
  });

  it('to a version that takes all replicas away is taken back at once, and waited for', async () => {
    const { lines, after } = await scored('garden:1', 'garden:down');
    expect(lines).toMatchObject({
      'upgrade-image': { result: 'unmet', reason: 'with garden:down: for a moment no replica was available' },
      'lifecycle-restore': { result: 'met' },
    });
    expect(after.spec?.template.spec?.containers[0]?.image).toBe('garden:1');
  });

  it('from which there is no way back is not met', async () => {
    const { lines, before, after } = await scored('garden:slow', 'garden:2', '3s');
    expect(lines['upgrade-image']).toMatchObject({
      result: 'unmet',
      reason: expect.stringMatching(/^back with garden:slow: it was not through after 3 s: /),
    });
    expect(ownedBySomebody(after)).toEqual(ownedBySomebody(before));
  });
});

describe('a restore', () => {
  it('after which what it owned does not come back is not met', async () => {
    const { lines } = await scored('garden:stubborn', 'garden:2', '8s');
    expect(lines['lifecycle-restore']).toMatchObject({
      result: 'unmet',
      reason: expect.stringMatching(/^waited .* for ConfigMap \S+\/roses to be made again: /),
    });
  });
});
