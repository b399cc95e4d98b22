/**
 * Whether a node runs pods with the newest containerd, runc and CNI plugins instead of the machine's: `npm run bench -- node-runtime`.
 * They are downloaded or, with KURATOR_BINARY_SOURCES=cache,build, built: five minutes the first time, on two cores.
 */
import { Node, Pod, waitFor } from '@kurator/client';
import { BUSYBOX_IMAGE, busyboxImage, type Reporter, testCluster } from '@kurator/testenv';

const say = (text: string) => process.stderr.write(`${text}\n`);
const reporter: Reporter = { info: say, verbose: () => {}, progress: () => {} };
process.env.KURATOR_NODE_RUNTIME = 'fetched';

const cluster = await testCluster({ nodes: 1, reporter });
try {
  await cluster.load((await busyboxImage()).path);
  const client = await cluster.client();
  const { status } = await client.get(Node, { name: 'n1' });
  const runtime = status?.nodeInfo?.containerRuntimeVersion ?? '';
  const metadata = { name: 'web', namespace: 'default' };
  await client.create(Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: {
      containers: [
        {
          name: 'web',
          image: BUSYBOX_IMAGE,
          command: ['httpd', '-f', '-p', '8080', '-h', '/etc'],
          securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
          readinessProbe: { httpGet: { port: 8080, path: '/passwd' }, periodSeconds: 1 },
        },
      ],
    },
  });
  const isReady = ({ status: now }: Pod) =>
    now?.conditions?.some(({ type, status: truth }) => type === 'Ready' && truth === 'True') ?? false;
  const pod = await waitFor(client, Pod, metadata, isReady, { description: 'to be ready' });
  console.log(`${runtime}: pod web is ready at ${pod.status?.podIP}`);
  await client.close();
  if (!runtime.startsWith('containerd://2.')) throw new Error(`the node runs ${runtime}, not containerd 2`);
} finally {
  await cluster.down();
}
