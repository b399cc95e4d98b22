/** Unpacks the layers of an image by containerd, on a machine of its own that goes afterwards. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { TestenvError } from '../error.ts';
import { onDisk, startLoneMachine } from '../machines/machine.ts';
import { linking } from './link-layers.ts';

export interface UnpackOptions {
  readonly programs: { readonly containerd: string; readonly ctr: string };
  /** The machine's own folder, in that of the cluster; goes afterwards. */
  readonly folder: string;
  /** The store's. */
  readonly shared: string;
  /** The image without the layers that are `known`. */
  readonly archive: Readable;
  /** Chain IDs of its lowest layers that the store has. */
  readonly known: readonly string[];
  /** The chain ID of its highest layer that is wanted. */
  readonly wanted: string;
}

/** No more of containerd than what takes images in. */
const configuration = `version = 2
disabled_plugins = ["io.containerd.grpc.v1.cri"]
`;

const script = `
set -e
containerd=$1 ctr=$2 config=$3 wanted=$4; shift 4
${linking}
"$containerd" --config "$config" >"$config.log" 2>&1 </dev/null &
# Whoever waits for this shell's output must not wait for containerd's.
trap 'status=$?; kill -KILL $!; [ $status = 0 ] || tail -n 3 "$config.log" >&2' EXIT
tries=0
until k8s version >/dev/null 2>&1; do
  tries=$((tries + 1))
  [ $tries -lt 300 ]
  kill -0 $!
  sleep 0.05
done
link_layers unpack "$@"
k8s images import - >&2
k8s snapshots view --target / look "$wanted"
`;

const SNAPSHOTS = '/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots';

/**
 * Calls `take` with where the files of each layer are that was not known, the lowest first, while they are there. They are
 * what the image says: containerd compares each layer with its digest.
 */
export async function unpackLayers(
  { programs, folder, shared, archive, known, wanted }: UnpackOptions,
  take: (folders: readonly string[]) => Promise<void>,
): Promise<void> {
  const machine = await startLoneMachine({ name: 'unpack', folder, shared });
  try {
    const config = join(folder, 'containerd.toml');
    await writeFile(config, configuration);
    const args = ['-c', script, 'unpack', programs.containerd, programs.ctr, config, wanted, ...known];
    const { stdout } = await machine.enter('sh', args, { input: archive, timeout: 600_000 });
    // What runs there has to end before its files are anybody else's.
    await machine.remove();
    await take(
      snapshotNumbers(stdout)
        .slice(known.length)
        .map((number) => onDisk(machine, join(SNAPSHOTS, number, 'fs'))),
    );
  } finally {
    archive.destroy();
    await machine.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The snapshots that a mount consists of, the lowest first. */
function snapshotNumbers(mount: string): string[] {
  const numbers = [...mount.matchAll(/\/snapshots\/(\d+)\/fs/g)].map(([, number]) => number as string);
  if (numbers.length > 0) return numbers.reverse();
  throw new TestenvError('KUR_TESTENV_COMMAND', `containerd said no folders of what it unpacked: ${mount.trim()}`);
}
