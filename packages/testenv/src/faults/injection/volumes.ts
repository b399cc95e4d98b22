/** Full volumes. */
import { open, readFile, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { TestenvError } from '../../error.ts';
import { toBytes } from '../requests/field.ts';
import type { FillRequest } from '../requests/resources.ts';
import type { Fault, Inject } from './fault.ts';
import { noTarget } from './machine-target.ts';
import { isWithin, mountAt, parseMounts, pathOf } from './mounts.ts';
import { type ContainerProcesses, findContainer, findPod } from './pod-target.ts';

/** See {@link FillRequest}. */
export const fill: Inject<FillRequest> = async (request, fault) => {
  const container = await mountingContainer(request, fault);
  const place = await findVolume(container, request.volume, fault.cluster.folder);
  const bytes = toBytes(request.bytes);
  if (place.onMachinesDisk) await protectMachine(place.folder, bytes, request.volume);
  const file = join(place.folder, `.kurator-fault-${fault.id}`);
  fault.onHeal(async () => {
    // Below /proc, the path of a machine that is off leads nowhere: its memory volumes went with it.
    await rm(file, { force: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTDIR') throw error;
    });
  });
  await write(file, bytes ?? Number.POSITIVE_INFINITY);
};

async function mountingContainer(
  request: FillRequest,
  { cluster }: Fault,
): Promise<ContainerProcesses & { mountPath: string }> {
  const { object, title } = await findPod(cluster, request);
  const volumes = object.spec?.volumes?.map(({ name }) => name) ?? [];
  for (const { name, volumeMounts = [] } of object.spec?.containers ?? []) {
    const mount = volumeMounts.find((it) => it.name === request.volume);
    if (mount)
      return { ...(await findContainer(cluster, { ...request, container: name })), mountPath: mount.mountPath };
  }
  if (volumes.includes(request.volume))
    throw noTarget(`no container of pod ${title} mounts its volume ${request.volume}`);
  throw noTarget(`pod ${title} has no volume "${request.volume}"`, `it has ${volumes.join(', ') || 'none'}`);
}

interface VolumePlace {
  /** As the supervisor reaches it, with or without the pod. */
  readonly folder: string;
  readonly onMachinesDisk: boolean;
}

/**
 * A volume is looked for by its file system, not by walking the container's paths: there, a link could lead anywhere on
 * the machine.
 */
async function findVolume(
  container: ContainerProcesses & { mountPath: string },
  volume: string,
  clusterFolder: string,
): Promise<VolumePlace> {
  const init = container.node.machine.system?.pid;
  const [inContainer, onNode, onHost] = await Promise.all([container.main, init ?? 0, process.pid].map(mountsOf));
  const mount = mountAt(inContainer ?? [], container.mountPath.replace(/(?<=.)\/+$/, ''));
  if (!mount) throw noTarget(`volume ${volume} of pod ${container.title} is not mounted at ${container.mountPath}`);
  const hostPath = pathOf(mount, onHost ?? []);
  if (hostPath !== undefined && isWithin(hostPath, clusterFolder)) return { folder: hostPath, onMachinesDisk: true };
  const nodePath = hostPath === undefined ? pathOf(mount, onNode ?? []) : undefined;
  if (nodePath !== undefined) return { folder: join(`/proc/${init}/root`, nodePath), onMachinesDisk: false };
  throw noTarget(
    `volume ${volume} of pod ${container.title} is a folder of this machine that is not the cluster's own: it is not filled`,
    'use an emptyDir or a claim instead of a hostPath',
  );
}

async function mountsOf(pid: number): Promise<ReturnType<typeof parseMounts>> {
  return parseMounts(await readFile(`/proc/${pid}/mountinfo`, 'utf8').catch(() => ''));
}

const MACHINE_RESERVE = 1024 ** 3;

/** The volume shares the machine's disk with everything else on it. */
async function protectMachine(folder: string, bytes: number | undefined, volume: string): Promise<void> {
  if (bytes === undefined) {
    throw new TestenvError(
      'KUR_TESTENV_FAULT_REQUEST',
      `volume ${volume} is on the machine's own disk, which must not be filled`,
      {
        remedy: 'give fill.bytes, or use a volume of limited size: emptyDir: { medium: Memory, sizeLimit: 64Mi }',
      },
    );
  }
  const { bavail, bsize } = await statfs(folder);
  if (bytes + MACHINE_RESERVE <= bavail * bsize) return;
  throw noTarget(`the machine's disk has too little room for ${bytes} bytes more`, 'ask for less');
}

const CHUNK = new Uint8Array(1024 * 1024);

async function write(path: string, bytes: number): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  let left = bytes;
  try {
    while (left > 0) left -= (await file.write(CHUNK, 0, Math.min(left, CHUNK.length))).bytesWritten;
  } catch (error) {
    if (!['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
