/**
 * A machine of the cluster: a network namespace that stays, and a system (processes,
 * mounts, host name) that can be powered off and on again like a real one.
 */
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TestenvError } from '../error.ts';
import { type RunOptions, type RunResult, run } from '../internal/run.ts';
import { entering, type Holder, holdNetwork, holdSystem, release } from './namespaces.ts';
import { ipIn, type Network } from './network.ts';

/** Host folders that a machine gets its own empty version of, so that it can use every program's default paths. */
const ownFolders = ['/run', '/var/log', '/var/lib'] as const;

/** Of those, what must outlive a power cut: on disk, in the machine's folder. */
const diskFolders = [
  '/var/lib/kubelet',
  '/var/lib/containerd',
  '/var/lib/cni',
  '/var/log/pods',
  '/var/lib/volumes',
] as const;

/**
 * Host folders that a machine sees as they are, and writes to as if they were its own: what it changes goes to a layer
 * in memory (256 MiB at most), until its power is cut. Everything else of the host's is read-only to it.
 */
const layeredFolders = ['/etc', '/opt', '/tmp'] as const;

/** What is the kernel's, and can't be a machine's own but by namespaces. */
const kernelFolders = ['/proc', '/sys', '/dev'] as const;

export interface MachineOptions {
  name: string;
  address: string;
  /** Where its disk is, on the host. */
  folder: string;
  network: Network;
  /** A folder of the host that it sees at {@link SHARED_FOLDER}, read-only wherever it lies. */
  shared?: string;
}

/** Where a machine sees what it shares with others. */
export const SHARED_FOLDER = '/run/shared';

export interface Machine {
  readonly name: string;
  readonly address: string;
  readonly folder: string;
  readonly network: Network;
  /** The network namespace, there as long as the machine is part of the cluster. */
  readonly cable: Holder;
  /** Undefined while it is powered off. */
  readonly system: Holder | undefined;
  powerOn(): Promise<void>;
  /** Ends every process in it at once, without warning; its disk stays. */
  powerOff(): Promise<void>;
  /** Runs a command inside, to its end. */
  enter(command: string, args: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** Powers it off and takes it off the network. */
  remove(): Promise<void>;
}

/** Where a folder of the machine's disk is on the host. */
export function onDisk(machine: Pick<Machine, 'folder'>, path: string): string {
  return join(machine.folder, 'disk', path);
}

export async function createMachine(options: MachineOptions): Promise<Machine> {
  const { name, address, folder, network } = options;
  await createDisk(folder);
  const cable = await network.connect(name, address);
  let system: Holder | undefined;

  return {
    name,
    address,
    folder,
    network,
    cable,
    get system() {
      return system;
    },
    async powerOn() {
      system ??= await startSystem(cable, options);
    },
    async powerOff() {
      if (!system) return;
      const stopping = system;
      system = undefined;
      await release(stopping);
    },
    async enter(command, args, runOptions) {
      if (!system) throw new TestenvError('KUR_TESTENV_MACHINE_OFF', `the machine ${name} is powered off`);
      const [program, line] = entering(system, command, args);
      return await run(program, line, runOptions);
    },
    async remove() {
      if (system) await release(system);
      system = undefined;
      await release(cable);
    },
  };
}

/** A machine that is on, and on no network: for work that nobody has to reach. */
export type LoneMachine = Pick<Machine, 'folder' | 'enter' | 'remove'>;

export async function startLoneMachine(
  options: Pick<MachineOptions, 'name' | 'folder' | 'shared'>,
): Promise<LoneMachine> {
  const { folder } = options;
  await createDisk(folder);
  const cable = await holdNetwork();
  const remove = () => release(cable);
  const system = await startSystem(cable, options).catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  return {
    folder,
    async enter(command, args, runOptions) {
      const [program, line] = entering(system, command, args);
      return await run(program, line, runOptions);
    },
    async remove() {
      await release(system);
      await remove();
    },
  };
}

async function createDisk(folder: string): Promise<void> {
  refuseHiddenFolder(folder);
  await Promise.all(diskFolders.map((path) => mkdir(onDisk({ folder }, path), { recursive: true })));
}

async function startSystem(
  cable: Holder,
  { name, folder, shared = '' }: Pick<MachineOptions, 'name' | 'folder' | 'shared'>,
): Promise<Holder> {
  return await holdSystem(cable, initScript, [name, dirname(folder), join(folder, 'disk'), shared, ...diskFolders]);
}

/** Other machines' addresses behind this one's neighbours: pods of other nodes. */
export async function routeBetween(
  machine: Machine,
  routes: readonly { readonly range: string; readonly via: string }[],
): Promise<void> {
  await ipIn(
    machine.cable,
    routes.map(({ range, via }) => `route replace ${range} via ${via} dev eth0`),
  );
}

function refuseHiddenFolder(folder: string): void {
  const hidden = [...ownFolders, '/dev/shm'].find((own) => folder.startsWith(`${own}/`));
  if (!hidden) return;
  throw new TestenvError(
    'KUR_TESTENV_FOLDER',
    `a cluster's folder can't be under ${hidden}, which each machine replaces: ${folder}`,
    {
      remedy: 'set XDG_STATE_HOME to a folder elsewhere',
    },
  );
}

/**
 * A machine's init. `/run/host` is all of the host as it was, for the time in which the machine's own view of it is put
 * together: layers would hide what is mounted below them, and the cluster's folder stays writable.
 * `wait` makes the shell collect every orphan that becomes init's child.
 */
const initScript = `
set -e
name=$1 cluster=$2 disk=$3 shared=$4; shift 4
hostname "$name"
mount --make-rprivate /
mounts=$(awk '{ print $5 }' /proc/self/mountinfo)
mount -t tmpfs -o mode=755 tmpfs /run
mkdir /run/host /run/layers
mount --rbind / /run/host
mount -t tmpfs -o mode=755,size=256m tmpfs /run/layers
for tree in ${layeredFolders.join(' ')}; do
  [ -d "$tree" ] && [ ! -L "$tree" ] || continue
  mkdir -p "/run/layers$tree/upper" "/run/layers$tree/work"
  chmod --reference="$tree" "/run/layers$tree/upper"
  mount -t overlay -o "lowerdir=$tree,upperdir=/run/layers$tree/upper,workdir=/run/layers$tree/work" overlay "$tree"
  printf '%s\\n' "$mounts" | while read -r path; do
    case $path in *\\\\*) path=$(printf %b "$path") ;; esac
    case $path in "$tree"/*) [ ! -e "/run/host$path" ] || mount --bind "/run/host$path" "$path" ;; esac
  done
done
printf '%s\\n' "$mounts" | while read -r path; do
  case $path in *\\\\*) path=$(printf %b "$path") ;; esac
  case $path in ${[...kernelFolders, ...ownFolders].map((folder) => `${folder} | ${folder}/*`).join(' | ')}) continue ;; esac
  case " ${layeredFolders.join(' ')} " in *" $path "*) continue ;; esac
  # One that another is mounted over can't be reached.
  ! mountpoint -q "$path" || mount -o remount,bind,ro "$path"
done
mount --bind "/run/host$cluster" "$cluster"
if [ -n "$shared" ]; then
  mkdir ${SHARED_FOLDER}
  mount --bind "/run/host$shared" ${SHARED_FOLDER}
  mount -o remount,bind,ro ${SHARED_FOLDER}
fi
umount -l /run/host /run/layers
rmdir /run/host /run/layers
${ownFolders
  .slice(1)
  .map((path) => `mount -t tmpfs -o mode=755 tmpfs ${path}`)
  .join('\n')}
# Shared memory is a machine's own, as it is to whoever has the machine's IPC.
[ ! -d /dev/shm ] || mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs /dev/shm
for path in "$@"; do
  mkdir -p "$path"
  mount --bind "$disk$path" "$path"
done
mount --make-rshared /
echo 1 > /proc/sys/net/ipv4/ip_forward
echo ready
exec >/dev/null 2>&1
sleep infinity &
wait
`;
