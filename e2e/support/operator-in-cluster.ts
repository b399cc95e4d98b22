/** Runs an operator where operators run: bundled into one file, as an image, in a Deployment, with no rights but its own. */
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Client,
  ClusterRole,
  ClusterRoleBinding,
  Deployment,
  Namespace,
  Role,
  RoleBinding,
  ServiceAccount,
  waitFor,
} from '@kurator/client';
import type { Permissions } from '@kurator/runtime';
import { type Cluster, imageFromNodeBundle } from '@kurator/testenv';
import { build } from 'esbuild';

/** What is run. */
export interface OperatorInCluster {
  /** The operator's name; its namespace is called the same. */
  name: string;
  /** The path of the program, from the repository's root. */
  entry: string;
  permissions: Permissions;
  replicas?: number;
  /** Programs that it starts as threads, by the name it knows them by: bundled beside it. */
  threads?: Readonly<Record<string, string>>;
  /** Variables of its environment. */
  env?: Readonly<Record<string, string>>;
  /** In its node's network, from which the cluster's registry can be reached. */
  hostNetwork?: boolean;
}

const root = join(import.meta.dirname, '..', '..');

/** Resolves when all replicas are ready. */
export async function runInCluster(cluster: Cluster, client: Client, operator: OperatorInCluster): Promise<void> {
  const { name, entry, permissions, replicas = 1, threads = {}, env = {}, hostNetwork = false } = operator;
  const image = `${name}:e2e`;
  await cluster.load(await bundledImage({ main: entry, ...threads }, image));
  await client.create(Namespace, { metadata: { name } });
  await grant(client, name, permissions);
  const labels = { app: name };
  const probe = (path: string) => ({ httpGet: { path, port: 8080 }, periodSeconds: 1 });
  await client.create(Deployment, {
    metadata: { name, namespace: name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: name,
          hostNetwork,
          containers: [
            {
              name: 'operator',
              image,
              env: Object.entries(env).map(([name, value]) => ({ name, value })),
              // Without a share of its own it would get what the others leave.
              resources: { requests: { cpu: '250m' } },
              // One that is slow to start on a busy machine is not dead.
              livenessProbe: { ...probe('/healthz'), timeoutSeconds: 5, failureThreshold: 30 },
              readinessProbe: probe('/readyz'),
            },
          ],
        },
      },
    },
  });
  const isReady = ({ status }: Deployment) => status?.readyReplicas === replicas;
  await waitFor(client, Deployment, { name, namespace: name }, isReady, {
    description: 'to be ready',
    timeout: 240_000,
  });
}

async function grant(client: Client, name: string, { namespaced, cluster, own }: Permissions): Promise<void> {
  const apiGroup = 'rbac.authorization.k8s.io';
  const subjects = [{ kind: 'ServiceAccount', name, namespace: name }];
  await client.create(ServiceAccount, { metadata: { name, namespace: name } });
  await client.create(ClusterRole, { metadata: { name }, rules: [...namespaced, ...cluster] });
  const roleRef = { apiGroup, kind: 'ClusterRole', name };
  await client.create(ClusterRoleBinding, { metadata: { name }, roleRef, subjects });
  await client.create(Role, { metadata: { name, namespace: name }, rules: [...own] });
  const ownRef = { apiGroup, kind: 'Role', name };
  await client.create(RoleBinding, { metadata: { name, namespace: name }, roleRef: ownRef, subjects });
}

/** Made once in a run of the tests, which has a folder for what its files share; elsewhere each time. */
export async function bundledImage(programs: Readonly<Record<string, string>>, name: string): Promise<string> {
  const shared = process.env.KURATOR_TEST_FOLDER;
  if (!shared) return await bundle(programs, name);
  const key = createHash('sha256')
    .update(JSON.stringify([name, programs]))
    .digest('hex');
  const note = join(shared, `image-${key}`);
  const made = await readFile(note, 'utf8').catch(() => undefined);
  if (made) return made;
  const path = await bundle(programs, name);
  await writeFile(`${note}.${process.pid}`, path);
  await rename(`${note}.${process.pid}`, note);
  return path;
}

async function bundle(programs: Readonly<Record<string, string>>, name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kurator-e2e-'));
  const entryPoints = Object.entries(programs).map(([out, path]) => ({ out, in: join(root, path) }));
  try {
    await build({
      entryPoints,
      outdir: folder,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node22',
      conditions: ['source'],
      // What is not written as a module asks for its parts by `require`.
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
      logLevel: 'error',
    });
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', main: 'main.js' }));
    return (await imageFromNodeBundle(folder, { name })).path;
  } finally {
    await rm(folder, { recursive: true });
  }
}
