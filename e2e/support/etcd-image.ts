/** etcd as its own images have it: a program on the PATH, under the names that the operator asks for. */
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, imageFromFolder, resolveBinaries } from '@kurator/testenv';

/** What Kubernetes' own programs of this repository have in them. */
export const ETCD_VERSION = '3.6.8';
export const ETCD_REPOSITORY = 'etcd.test/etcd';

/** Puts an image of etcd on every node, once for each tag. All of them have the same program in them. */
export async function loadEtcd(cluster: Cluster, versions: readonly string[] = [ETCD_VERSION]): Promise<void> {
  const etcd = (await resolveBinaries({ programs: ['etcd'] })).path('etcd');
  const folder = await mkdtemp(join(tmpdir(), 'kurator-etcd-'));
  try {
    const bin = join(folder, 'usr', 'local', 'bin');
    await mkdir(bin, { recursive: true });
    await copyFile(etcd, join(bin, 'etcd'));
    for (const version of versions) {
      const name = `${ETCD_REPOSITORY}:v${version}`;
      const { path } = await imageFromFolder(folder, { name, env: { PATH: '/usr/local/bin' } });
      await cluster.load(path);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}
