/**
 * Whether clusters run with cgroup v2: in a virtual machine with Debian's own kernel, by qemu's emulation, so that it needs no
 * particular processor. `npm run bench -- cgroup-v2` prints what the machine says; it takes six minutes on two cores, root, mmdebstrap,
 * qemu-system-x86 and 5 GB of disk. The machine has no network.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { busyboxImage, defaultVersion, type Reporter, resolveBinaries } from '@kurator/testenv';

const run = promisify(execFile);
const repository = dirname(import.meta.dirname);
const parts = join(import.meta.dirname, 'cgroup-v2');
const say = (text: string) => process.stderr.write(`${text}\n`);
const reporter: Reporter = { info: say, verbose: () => {}, progress: () => {} };

const MINUTES = 90;
/** A serial line is a terminal: what is written over begins with this. */
const REDRAWN = '\u001b[K';
const progress = /: (\d+ min )?[\d.]+ s$/;
const packages = [
  ...['linux-image-cloud-amd64', 'initramfs-tools', 'systemd', 'systemd-sysv', 'udev', 'kmod', 'procps'],
  ...['containerd', 'runc', 'containernetworking-plugins', 'iptables', 'iproute2', 'conntrack'],
];
/** Of the repository, what `kurator cluster` is made of. */
const sources = ['package.json', 'packages', 'operators', 'node_modules'];

const folder = await mkdtemp(join(tmpdir(), 'kurator-cgroup-v2-'));
try {
  const root = join(folder, 'root');
  say('making a Debian with mmdebstrap');
  await run('mmdebstrap', [
    ...['--variant=minbase', '--mode=root', '--format=directory', `--include=${packages.join(',')}`],
    ...['bookworm', root],
  ]);
  await furnish(root);
  const disk = join(folder, 'disk');
  await run('mke2fs', ['-q', '-t', 'ext4', '-d', root, disk, '4G']);
  say('starting it');
  if (!(await passes(root, disk))) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Puts in what there is no network to fetch by, and what is to be done. */
async function furnish(root: string): Promise<void> {
  const within = (path: string) => join(root, path);
  await mkdir(within('opt/kurator'));
  const verbatim = { recursive: true, verbatimSymlinks: true };
  for (const source of sources) await cp(join(repository, source), within(`opt/kurator/${source}`), verbatim);
  await mkdir(within('opt/node/bin'), { recursive: true });
  await cp(process.execPath, within('opt/node/bin/node'));
  const { path } = await resolveBinaries({ version: defaultVersion, programs: ['kube-apiserver'], reporter });
  const entry = dirname(path('kube-apiserver'));
  await cp(entry, within(`root/.cache/kurator/binaries/${basename(entry)}`), verbatim);
  await cp((await busyboxImage()).path, within('opt/busybox.tar'));
  for (const file of ['guest.sh', 'deployment.yaml']) await cp(join(parts, file), within(`opt/${file}`));
  await chmod(within('opt/guest.sh'), 0o755);
  const unit = 'etc/systemd/system/check.service';
  await cp(join(parts, 'check.service'), within(unit));
  await mkdir(within('etc/systemd/system/multi-user.target.wants'), { recursive: true });
  await symlink(`/${unit}`, within('etc/systemd/system/multi-user.target.wants/check.service'));
}

/** Runs the machine to its end, prints its lines, and tells its verdict. */
async function passes(root: string, disk: string): Promise<boolean> {
  const machine = spawn(
    'qemu-system-x86_64',
    [
      ...['-accel', 'tcg,thread=multi', '-cpu', 'max', '-smp', '2', '-m', '4096', '-no-reboot', '-nic', 'none'],
      ...['-display', 'none', '-monitor', 'none', '-serial', 'stdio'],
      ...['-drive', `file=${disk},if=virtio,format=raw,cache=unsafe`],
      ...['-kernel', join(root, 'vmlinuz'), '-initrd', join(root, 'initrd.img')],
      ...['-append', 'root=/dev/vda rw console=ttyS0 quiet'],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'], timeout: MINUTES * 60_000, killSignal: 'SIGKILL' },
  );
  process.once('exit', () => machine.kill('SIGKILL'));
  const started = performance.now();
  let verdict = false;
  createInterface(machine.stdout).on('line', (written) => {
    const line = written.replaceAll(REDRAWN, '').trimEnd();
    if (line === '' || progress.test(line)) return;
    const seconds = Math.round((performance.now() - started) / 1000);
    console.log(`${String(seconds).padStart(5)} s  ${line}`);
    verdict ||= line === 'check: passed';
  });
  await once(machine, 'close');
  return verdict;
}
