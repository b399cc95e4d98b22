/**
 * The images that conformance tests ask for, by the very names that they ask for them: upstream's Go programs from the
 * suite's own module, on Debian packages where upstream takes those of another distribution.
 */
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import {
  busyboxImage,
  type ImageArchive,
  type ImageConfig,
  imageFromFolder,
  imageFromPackages,
  pauseImage,
  type Reporter,
  resolveBinaries,
} from '@kurator/testenv';
import type { Suite } from './suite.ts';

const execute = promisify(execFile);
const E2E = 'registry.k8s.io/e2e-test-images';

/** What upstream's images have for the tests' scripts, by Debian's names. */
const tools = ['bind9-dnsutils', 'curl', 'iproute2', 'netcat-openbsd', 'nginx-light'];

/** Builds all of them; what did not change comes from the cache. */
export async function conformanceImages(suite: Suite, version: string, reporter: Reporter): Promise<ImageArchive[]> {
  const folder = await mkdtemp(join(tmpdir(), 'kurator-conformance-'));
  const { path } = await resolveBinaries({ version, programs: ['etcd'], reporter });
  const made: ImageArchive[] = [];
  const make = async (from: ImageArchive | undefined, config: ImageConfig, content: Content = {}) => {
    const root = await mkdtemp(join(folder, 'root-'));
    await fill(root, content);
    const image = await imageFromFolder(root, config, from ? { from, reporter } : { reporter });
    made.push(image);
    return image;
  };
  try {
    const debian = await imageFromPackages(tools, { name: 'kurator.local/conformance-base:1' }, { reporter });
    const busybox = await make(
      await busyboxImage({ reporter }),
      { name: `${E2E}/busybox:1.37.0-1` },
      { 'bin/sh': { program: await staticBash(folder) } },
    );
    const images = join(suite.sources, 'test', 'images');

    const agnhost = await make(
      debian,
      { name: `${E2E}/agnhost:2.63.0`, entrypoint: ['/agnhost'], command: ['pause'] },
      {
        agnhost: { program: suite.agnhost },
        'agnhost-2': { link: 'agnhost' },
        uploads: 'folder',
        'localhost.crt': { file: join(images, 'agnhost', 'porter', 'localhost.crt') },
        'localhost.key': { file: join(images, 'agnhost', 'porter', 'localhost.key') },
      },
    );
    await make(agnhost, { name: `${E2E}/agnhost:2.55` });
    for (const [picture, tag] of [
      ['nautilus', '1.8'],
      ['kitten', '1.8'],
    ] as const) {
      const html = join(images, picture, 'html');
      await make(
        agnhost,
        { name: `${E2E}/${picture}:${tag}`, entrypoint: ['/agnhost'], command: ['test-webserver'] },
        {
          [`${picture}.jpg`]: { file: join(html, `${picture}.jpg`) },
          'data.json': { file: join(html, 'data.json') },
        },
      );
    }
    await make(debian, { name: `${E2E}/glibc-dns-testing:2.0.0` });
    for (const tag of ['1.15-4', '1.27-0']) {
      // The label makes two images of them: tests replace one by the other.
      const labels = { version: tag };
      await make(debian, { name: `${E2E}/nginx:${tag}`, command: ['nginx', '-g', 'daemon off;'], labels });
    }
    await make(debian, { name: `${E2E}/nonroot:1.5`, user: '1234' });
    await make(
      busybox,
      { name: `${E2E}/nonewprivs:1.4`, command: ['nnp'] },
      { 'usr/local/bin/nnp': { program: suite.nonewprivs, mode: 0o6755 } },
    );
    await make(
      busybox,
      { name: `${E2E}/sample-apiserver:1.29.2`, entrypoint: ['/sample-apiserver'] },
      { 'sample-apiserver': { program: suite.sampleApiserver } },
    );
    await make(busybox, { name: 'registry.k8s.io/etcd:3.6.8-0' }, { 'usr/local/bin/etcd': { program: path('etcd') } });
    await make(await pauseImage({ reporter }), { name: 'registry.k8s.io/pause:3.10.2' });
    return made;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The shell of Debian's busybox takes every variable out of the environment whose name a script could not write, such as
 * `data-1`, and tests look for just these.
 */
async function staticBash(folder: string): Promise<string> {
  const cwd = await mkdtemp(join(folder, 'bash-'));
  await execute('apt-get', ['download', '--quiet', 'bash-static'], { cwd });
  await execute('sh', ['-c', 'dpkg-deb -x ./*.deb .'], { cwd });
  return join(cwd, 'bin', 'bash-static');
}

/** What is put into an image, by its path there. */
type Content = Readonly<Record<string, Item>>;
type Item =
  | 'folder'
  | { readonly file: string }
  | { readonly link: string }
  | { readonly program: string; readonly mode?: number };

async function fill(root: string, content: Content): Promise<void> {
  for (const [path, item] of Object.entries(content)) {
    const target = join(root, path);
    await mkdir(dirname(target), { recursive: true });
    if (item === 'folder') await mkdir(target);
    else if ('link' in item) await symlink(item.link, target);
    else {
      const isProgram = 'program' in item;
      await copyFile(isProgram ? item.program : item.file, target);
      // After the copy: writing to a file takes its set-user-ID bit away.
      await chmod(target, isProgram ? (item.mode ?? 0o755) : 0o644);
    }
  }
}
