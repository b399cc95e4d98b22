/** The machine's own iptables as an image, with a shell: what a person would name with `--image` for a fault of the network. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { busyboxImage, type ImageArchive, imageFromFolder } from '@kurator/testenv';

const run = promisify(execFile);

/** @param name Not `latest`, which the kubelet would try to pull. */
export async function iptablesImage(name: string): Promise<ImageArchive> {
  const folder = await mkdtemp(join(tmpdir(), 'kurator-iptables-'));
  try {
    const { stdout: found } = await run('sh', ['-c', 'command -v iptables']);
    // One program under many names: it looks at the one that it is called by.
    const program = await realpath(found.trim());
    const libraries = await librariesOf(program);
    const matches = await realpath(
      join(dirname(libraries.find((path) => path.includes('libxtables')) ?? ''), 'xtables'),
    );
    const more = await librariesOf(join(matches, 'libxt_statistic.so'));
    for (const path of new Set([program, matches, ...libraries, ...more])) await copy(path, folder);
    await mkdir(join(folder, 'usr/sbin'), { recursive: true });
    await symlink(program, join(folder, 'usr/sbin/iptables'));
    return await imageFromFolder(folder, { name }, { from: await busyboxImage() });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function librariesOf(program: string): Promise<string[]> {
  const { stdout } = await run('ldd', [program]);
  return [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path);
}

/** What a link leads to, at the link's own place. */
async function copy(path: string, folder: string): Promise<void> {
  await mkdir(join(folder, dirname(path)), { recursive: true });
  await cp(path, join(folder, path), { recursive: true, dereference: true });
}
