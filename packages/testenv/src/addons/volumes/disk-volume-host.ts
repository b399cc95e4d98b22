/**
 * Volumes on a node's disk, each an ext4 image of its own size, so that a full volume is full for real. Where the
 * machine can't mount images (no loop device, no mkfs.ext4) a volume is a plain folder without a limit.
 *
 *   FOLDER/NAME.img   the image, complete from the moment it has this name
 *   FOLDER/NAME/      where it is mounted; for a volume without an image, the data itself
 */
import { randomBytes } from 'node:crypto';
import { access, chmod, mkdir, open, readdir, readFile, rename, rm, statfs } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { messageOf, TestenvError } from '../../error.ts';
import { type RunResult, run } from '../../internal/run.ts';
import { until } from '../../internal/until.ts';
import { type Reporter, silent } from '../../reporter.ts';
import type { VolumeHost } from './volume-host.ts';

/** Where a node is, and how commands get into it. */
export interface DiskVolumeHostOptions {
  node: string;
  /** The folder that holds the volumes, on the host. */
  folder: string;
  /** The same folder as the node sees it. */
  nodeFolder: string;
  /** Runs a command in the node's namespaces. */
  enter(command: string, args: readonly string[]): Promise<RunResult>;
  reporter?: Reporter;
}

// Below this, ext4's own tables leave next to nothing.
const SMALLEST_IMAGE = 8n * 1024n * 1024n;

// No journal: the kernel outlives every "power cut" of a test node and writes everything back, and a small volume
// would be mostly journal. No reserve for root: pods often run as root, and full must mean full for them too.
const makeFileSystem = ['-q', '-F', '-m', '0', '-O', '^has_journal'];

// The data folder is open to every user, as in other local clusters: images that don't run as root then work
// without an fsGroup. A lost+found in it would make databases refuse to initialise. The folder is there only
// right after mkfs, so later mounts leave alone what the volume's user has changed.
const firstMount = 'if [ -d "$1/lost+found" ]; then chmod 0777 "$1" && rmdir "$1/lost+found"; fi';

/** Keeps one node's volumes in a folder. */
export function createDiskVolumeHost(options: DiskVolumeHostOptions): VolumeHost {
  const { node, folder, nodeFolder, enter, reporter = silent } = options;
  const image = (name: string) => join(folder, `${name}.img`);
  const data = (name: string) => join(folder, name);
  const onNode = (name: string) => join(nodeFolder, name);
  let probing: Promise<boolean> | undefined;

  async function isMounted(name: string): Promise<boolean> {
    // mountinfo rather than `mountpoint`: that one touches the volume, and a broken volume could hang it.
    const { stdout } = await enter('cat', ['/proc/self/mountinfo']);
    return mountPoints(stdout).has(onNode(name));
  }

  async function mount(name: string): Promise<void> {
    await mkdir(data(name), { recursive: true });
    if (!(await isMounted(name))) {
      await untilDetached(`${name}.img`);
      await enter('mount', ['-o', 'loop', onNode(`${name}.img`), onNode(name)]);
    }
    await enter('sh', ['-c', firstMount, 'sh', onNode(name)]);
  }

  async function unmount(name: string): Promise<void> {
    if (await isMounted(name)) await enter('umount', [onNode(name)]);
  }

  async function remove(name: string): Promise<void> {
    checkName(name);
    // A machine that is off has no mounts.
    await unmount(name).catch(ignoreMachineOff);
    await rm(image(name), { force: true });
    await rm(data(name), { recursive: true, force: true });
  }

  /** Trying is the only way to know: the device, the file system and the permission may each be missing. */
  async function canUseImages(): Promise<boolean> {
    const probe = `probe-${randomBytes(4).toString('hex')}`;
    // Asked first, so that a machine that is off isn't taken for one that can't.
    await isMounted(probe);
    try {
      await makeImage(image(probe), SMALLEST_IMAGE);
      await mount(probe);
      return true;
    } catch (error) {
      if (isMachineOff(error)) throw error;
      const why = messageOf(error);
      reporter.info(`Volumes on ${node} are plain folders without a size limit: ${why}`);
      return false;
    } finally {
      await remove(probe);
    }
  }

  async function usesImages(): Promise<boolean> {
    probing ??= canUseImages();
    return await probing.catch((error: unknown) => {
      probing = undefined;
      throw error;
    });
  }

  return {
    node,
    remove,

    async create({ name, bytes }) {
      checkName(name);
      await mkdir(folder, { recursive: true });
      if (!(await usesImages())) {
        await mkdir(data(name), { recursive: true });
        await chmod(data(name), 0o777);
        return onNode(name);
      }
      if (!(await exists(image(name)))) await makeImage(image(name), bytes);
      await mount(name);
      return onNode(name);
    },

    async list() {
      const entries = await readdir(folder).catch(() => []);
      const names = entries.filter((entry) => !entry.endsWith('.tmp')).map((entry) => entry.replace(/\.img$/, ''));
      return [...new Set(names)];
    },

    async freeBytes() {
      await mkdir(folder, { recursive: true });
      const { bavail, bsize } = await statfs(folder, { bigint: true });
      return bavail * bsize;
    },

    async restore() {
      const entries = await readdir(folder).catch(() => []);
      for (const entry of entries.filter((name) => name.endsWith('.img'))) await mount(entry.slice(0, -'.img'.length));
    },
  };
}

/** A sparse file with an empty file system in it; under its own name only once it is complete. */
async function makeImage(path: string, bytes: bigint): Promise<void> {
  const unfinished = `${path}.tmp`;
  try {
    const file = await open(unfinished, 'w', 0o600);
    await file.truncate(Number(roundUp(bytes > SMALLEST_IMAGE ? bytes : SMALLEST_IMAGE))).finally(() => file.close());
    // Unprivileged shells often lack the folder that mkfs is in.
    const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
    await run('mkfs.ext4', [...makeFileSystem, unfinished], { env });
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
}

/**
 * After a power cut the kernel still writes the volume back for a while; mounted a second time meanwhile, it would be
 * damaged. Images are recognised by their last name, which is unique: their whole path means something to the dead node only.
 */
async function untilDetached(imageName: string): Promise<void> {
  await until(`the kernel to let go of ${imageName}`, async () => !(await attachedImages()).has(imageName));
}

async function attachedImages(): Promise<Set<string>> {
  const devices = await readdir('/sys/block').catch(() => []);
  const loops = devices.filter((device) => device.startsWith('loop'));
  const files = loops.map((loop) => readFile(`/sys/block/${loop}/loop/backing_file`, 'utf8').catch(() => ''));
  return new Set((await Promise.all(files)).map((path) => basename(path.trim().replace(/ \(deleted\)$/, ''))));
}

const BLOCK = 4096n;
const roundUp = (bytes: bigint) => ((bytes + BLOCK - 1n) / BLOCK) * BLOCK;

/** The mount points in the text of a mountinfo file. */
export function mountPoints(mountinfo: string): Set<string> {
  const fields = mountinfo.split('\n').map((line) => line.split(' ')[4] ?? '');
  const decode = (text: string) =>
    text.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
  return new Set(fields.filter((field) => field !== '').map(decode));
}

// Names become file names, and are removed recursively.
function checkName(name: string): void {
  if (/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name)) return;
  throw new TestenvError(
    'KUR_TESTENV_VOLUME_NAME',
    `"${name}" can't name a volume: use lower case letters, digits and dashes`,
  );
}

const isMachineOff = (error: unknown) => error instanceof TestenvError && error.code === 'KUR_TESTENV_MACHINE_OFF';

function ignoreMachineOff(error: unknown): void {
  if (!isMachineOff(error)) throw error;
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
