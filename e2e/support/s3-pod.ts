/** A real server of S3 in a test cluster: versitygw in a pod, with one bucket. */
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, Pod, Service, waitFor } from '@kurator/client';
import { type Cluster, imageFromFolder } from '@kurator/testenv';

export const BUCKET = 'backups';
export const credentials = { accessKeyId: 'kurator', secretAccessKey: 'not-a-secret-but-long-enough' };

const IMAGE = 'versitygw.test/versitygw:v1';
const PORT = 9000;

/** In the cluster it is `http://bucket.default.svc:9000`; what is given is its address for the test itself. */
export async function startBucket(cluster: Cluster, client: Client): Promise<string> {
  await load(cluster);
  const labels = { app: 'bucket' };
  const metadata = { name: 'bucket', namespace: 'default' };
  await client.create(Service, { metadata, spec: { selector: labels, ports: [{ port: PORT }] } });
  await client.create(Pod, {
    metadata: { ...metadata, labels },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: 'versitygw',
          image: IMAGE,
          command: ['/versitygw', '--quiet', '--port', `:${PORT}`, '--health', '/health', 'posix', '/data'],
          env: [
            { name: 'ROOT_ACCESS_KEY', value: credentials.accessKeyId },
            { name: 'ROOT_SECRET_KEY', value: credentials.secretAccessKey },
          ],
          // To this server a folder is a bucket.
          volumeMounts: [{ name: 'data', mountPath: `/data/${BUCKET}` }],
          readinessProbe: { httpGet: { path: '/health', port: PORT }, periodSeconds: 1 },
        },
      ],
      volumes: [{ name: 'data', emptyDir: {} }],
    },
  });
  const isReady = ({ status }: Pod) => status?.containerStatuses?.[0]?.ready === true;
  const { status } = await waitFor(client, Pod, metadata, isReady, { description: 'to be ready', timeout: 60_000 });
  return `http://${status?.podIP}:${PORT}`;
}

async function load(cluster: Cluster): Promise<void> {
  const program = process.env.KURATOR_TEST_VERSITYGW;
  if (!program) throw new Error('There is no server of S3: `npm run test:e2e` builds it with Go.');
  const folder = await mkdtemp(join(tmpdir(), 'kurator-s3-'));
  try {
    await copyFile(program, join(folder, 'versitygw'));
    await mkdir(join(folder, 'data'));
    await cluster.load((await imageFromFolder(folder, { name: IMAGE })).path);
  } finally {
    await rm(folder, { recursive: true });
  }
}
