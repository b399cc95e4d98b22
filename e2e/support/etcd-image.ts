/** etcd for end-to-end tests: two versions, as images on every node. */
import { type Cluster, etcdImage } from '@kurator/testenv';

/** What members run unless a test says otherwise, and what they are upgraded to. */
export const ETCD_VERSION = '3.6.16';
export const ETCD_NEXT_VERSION = '3.7.3';
export const ETCD_REPOSITORY = 'etcd.test/etcd';

/** Puts images of etcd with etcdctl and etcdutl on every node. */
export async function loadEtcd(cluster: Cluster, versions: readonly string[] = [ETCD_VERSION]): Promise<void> {
  for (const version of versions) {
    const { path } = await etcdImage({ version, name: `${ETCD_REPOSITORY}:v${version}` });
    await cluster.load(path);
  }
}
