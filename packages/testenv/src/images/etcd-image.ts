/** etcd as its own images have it: the program with its tools on the PATH, under the name that an operator asks for. */
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type EtcdRequest, resolveEtcd } from '../binaries/resolve-etcd.ts';
import type { ImageArchive } from './image-archive.ts';
import { imageFromFolder } from './image-from-folder.ts';

/** Which etcd, and what its image is called. */
export interface EtcdImageRequest extends EtcdRequest {
  /** `quay.io/coreos/etcd:v3.6.16`, say. */
  name: string;
}

/** Made here, so that a cluster that pulls nothing can run it. */
export async function etcdImage({ name, ...request }: EtcdImageRequest): Promise<ImageArchive> {
  const programs = await resolveEtcd(request);
  const folder = await mkdtemp(join(tmpdir(), 'kurator-etcd-'));
  try {
    const bin = join(folder, 'usr', 'local', 'bin');
    await mkdir(bin, { recursive: true });
    for (const path of Object.values(programs)) await copyFile(path, join(bin, basename(path)));
    return await imageFromFolder(folder, { name, env: { PATH: '/usr/local/bin' } });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
