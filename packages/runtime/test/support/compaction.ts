/** Makes a cluster's etcd forget its past, as it does by itself every few minutes. */
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Client } from '@kurator/client';
import { Namespace } from '@kurator/client';
import type { Cluster } from '@kurator/testenv';

/** Afterwards no version is known any more but that of the last write. */
export async function compact(cluster: Cluster, client: Client): Promise<void> {
  const { metadata } = await client.list(Namespace, { limit: 1 });
  await askEtcd(cluster, '/v3/kv/compaction', { revision: metadata.resourceVersion, physical: true });
}

async function askEtcd(cluster: Cluster, path: string, body: object): Promise<void> {
  const socketPath = join(cluster.folder, 'etcd', 'etcd.sock');
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const asking = request({ socketPath, path, method: 'POST' }, async (answer) => {
    const said = await text(answer);
    // Nobody wrote since the last time.
    if (answer.statusCode === 200 || said.includes('has been compacted')) resolve();
    else reject(new Error(`etcd: ${said}`));
  });
  asking.on('error', reject).end(JSON.stringify(body));
  await promise;
}
