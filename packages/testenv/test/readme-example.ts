import { busyboxImage, testCluster } from '@kurator/testenv';

const cluster = await testCluster({ nodes: 1 });
try {
  await cluster.load((await busyboxImage()).path);
  const client = await cluster.client();
  const { nodes, server } = await cluster.status();
  process.stdout.write(`${nodes.length} node at ${server}, Kubernetes ${cluster.config.version}\n`);
  await client.close();
} finally {
  await cluster.down();
}
