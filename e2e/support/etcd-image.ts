/** etcd as its own images have it: the program and its tools on the PATH, under the names that the operator asks for. */
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Cluster, imageFromFolder } from '@kurator/testenv';

/** What members run unless a test says otherwise, and what they are upgraded to. */
export const ETCD_VERSION = '3.6.16';
export const ETCD_NEXT_VERSION = '3.7.3';
export const ETCD_REPOSITORY = 'etcd.test/etcd';

const programs: Readonly<Record<string, string | undefined>> = {
  [ETCD_VERSION]: process.env.KURATOR_TEST_ETCD,
  [ETCD_NEXT_VERSION]: process.env.KURATOR_TEST_ETCD_NEXT,
};

/** Puts images of etcd with etcdctl and etcdutl on every node. */
export async function loadEtcd(cluster: Cluster, versions: readonly string[] = [ETCD_VERSION]): Promise<void> {
  for (const version of versions) {
    const folder = await mkdtemp(join(tmpdir(), 'kurator-etcd-'));
    try {
      const bin = join(folder, 'usr', 'local', 'bin');
      await mkdir(bin, { recursive: true });
      for (const program of ['etcd', 'etcdctl', 'etcdutl']) {
        await copyFile(etcdProgram(program, version), join(bin, program));
      }
      const name = `${ETCD_REPOSITORY}:v${version}`;
      const { path } = await imageFromFolder(folder, { name, env: { PATH: '/usr/local/bin' } });
      await cluster.load(path);
    } finally {
      await rm(folder, { recursive: true });
    }
  }
}

/** `etcd`, `etcdctl` or `etcdutl` of a version: `npm test` brings them, and so does the stage by itself. */
function etcdProgram(name: string, version: string = ETCD_VERSION): string {
  const etcd = programs[version];
  if (!etcd) throw new Error(`There is no etcd ${version}: \`npm run test:e2e\` builds it with Go.`);
  return join(dirname(etcd), name);
}
