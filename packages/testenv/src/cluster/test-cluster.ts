import { randomBytes } from 'node:crypto';
import type { Cluster } from './cluster.ts';
import type { ClusterOptions } from './cluster-options.ts';
import { createCluster } from './create-cluster.ts';

/**
 * A cluster for one test: under a name that nobody else has, and gone with this process at the latest.
 * `await using cluster = await testCluster({ nodes: 1 })` takes it down at the end of the block.
 */
export async function testCluster(options: Omit<ClusterOptions, 'name' | 'detached'> = {}): Promise<Cluster> {
  const { cluster } = await createCluster({
    ...options,
    name: `test-${process.pid}-${randomBytes(3).toString('hex')}`,
  });
  return cluster;
}
