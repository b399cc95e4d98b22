import { mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TestenvError } from '../error.ts';
import { cacheFolder } from '../folders.ts';
import { run } from '../internal/run.ts';
import type { Reporter } from '../reporter.ts';
import { type BuildOptions, buildImage } from './build.ts';
import type { ImageArchive } from './image-archive.ts';
import { unpackPackage } from './internal/apt.ts';
import { readStretch } from './internal/blob.ts';
import { readElf } from './internal/elf.ts';
import { writeLayer } from './internal/layer.ts';
import { fileEntry, type TarEntry } from './internal/tar-writer.ts';
import { inWorkspace } from './internal/workspace.ts';

/** Not `latest`, which the kubelet would try to pull. */
export const BUSYBOX_IMAGE = 'busybox:kurator';

/** How the sample image is made. */
export interface BusyboxOptions extends Omit<BuildOptions, 'from'> {
  /** Default: {@link BUSYBOX_IMAGE}. */
  name?: string;
  /** A static busybox. Default: the machine's, else Debian's package busybox-static. */
  busybox?: string;
}

const PLACES = ['/bin/busybox', '/usr/bin/busybox', '/bin/busybox.static'];
const PACKAGE = 'busybox-static';

/**
 * An image with a shell and the usual small programs, for pods that only have to be there, or to look around. Debian
 * 12's busybox has a flaw to know about: `wget -T` crashes; `timeout 2 wget` does not.
 */
export async function busyboxImage(options: BusyboxOptions = {}): Promise<ImageArchive> {
  const { name = BUSYBOX_IMAGE, busybox } = options;
  return await buildImage({ name, command: ['sh'] }, options, async ({ folder, reporter }) => {
    const program = busybox ?? (await machineBusybox()) ?? (await packagedBusybox(reporter, options.signal));
    if (!(await isStatic(program))) {
      throw new TestenvError('KUR_TESTENV_IMAGE_SOURCE', `${program} is not a static busybox.`, {
        remedy: `Leave \`busybox\` out, or give the path of one; Debian's package ${PACKAGE} has it.`,
      });
    }
    const { stdout } = await run(program, ['--list']);
    const entries = await entriesOf(program, stdout.split('\n').filter(Boolean));
    return [await writeLayer(entries, join(folder, 'layer.tar'), options.signal)];
  });
}

async function entriesOf(program: string, applets: readonly string[]): Promise<TarEntry[]> {
  const { size } = await stat(program);
  const links = applets.filter((applet) => applet !== 'busybox').sort();
  return [
    { path: 'bin', type: 'directory', mode: 0o755 },
    { path: 'bin/busybox', type: 'file', mode: 0o755, size, content: () => readStretch(program, 0, size) },
    ...links.map((applet): TarEntry => ({ path: `bin/${applet}`, type: 'symlink', mode: 0o777, linkname: 'busybox' })),
    fileEntry('etc/group', 'root:x:0:\nnobody:x:65534:\n'),
    fileEntry('etc/passwd', 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/home:/bin/false\n'),
    { path: 'home', type: 'directory', mode: 0o755 },
    { path: 'root', type: 'directory', mode: 0o700 },
    { path: 'tmp', type: 'directory', mode: 0o1777 },
  ];
}

/** Debian's other busybox package is linked dynamically and would not start in an image of its own. */
async function machineBusybox(): Promise<string | undefined> {
  for (const place of PLACES) if (await isStatic(place)) return place;
  return undefined;
}

/** Takes busybox out of Debian's package without installing it, and keeps it in the cache. */
export async function packagedBusybox(reporter: Reporter, signal?: AbortSignal): Promise<string> {
  const kept = cacheFolder('images', 'busybox', 'busybox');
  if (await isStatic(kept)) return kept;
  reporter.info(`Downloading Debian's package ${PACKAGE} for the busybox image; it is not installed.`);
  return await inWorkspace('the busybox image', async (folder) => {
    await unpackPackage(PACKAGE, folder, signal);
    for (const place of PLACES) {
      if (!(await isStatic(join(folder, place)))) continue;
      await mkdir(cacheFolder('images', 'busybox'), { recursive: true });
      await rename(join(folder, place), kept);
      return kept;
    }
    throw new TestenvError('KUR_TESTENV_PACKAGES', `Debian's package ${PACKAGE} has no static busybox in it.`, {
      remedy: 'Give the path of one in `busybox`.',
    });
  });
}

async function isStatic(path: string): Promise<boolean> {
  const elf = await readElf(path).catch(() => undefined);
  return elf?.isProgram === true && elf.interpreter === undefined;
}
