/** Processor time and memory that a container's processes have to do without. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { toBytes } from '../requests/field.ts';
import type { BurnCpuRequest, BurnMemoryRequest } from '../requests/resources.ts';
import { memoryLimit, pidsIn } from './cgroup-processes.ts';
import type { Fault, Inject } from './fault.ts';
import { type Helper, startHelper } from './helper-process.ts';
import { noTarget } from './machine-target.ts';
import { type ContainerProcesses, findContainer } from './pod-target.ts';
import { sendSignal } from './processes.ts';

/** See {@link BurnCpuRequest}. */
export const burnCpu: Inject<BurnCpuRequest> = async (request, fault) => {
  const container = await findContainer(fault.cluster, request);
  for (let core = 0; core < (request.cores ?? 1); core++) await burn(fault, container, 'while :; do :; done');
};

/** See {@link BurnMemoryRequest}. */
export const burnMemory: Inject<BurnMemoryRequest> = async (request, fault) => {
  const container = await findContainer(fault.cluster, request);
  const limit = await memoryLimit(container.cgroup);
  // A little more than the limit is as deadly as a lot more, and always to be had.
  const bytes = Math.min(toBytes(request.bytes) ?? 0, limit + BEYOND_LIMIT);
  if (bytes < limit) await refuseMoreThanTheMachineHas(bytes);
  // It fills one block of memory, and then waits for ever for somebody to read what it wrote.
  const helper = await burn(fault, container, 'exec dd if=/dev/zero iflag=fullblock count=1 bs="$1"', [
    'memory',
    String(bytes),
  ]);
  const outgrown = endWithHelper(container, helper, fault);
  await Promise.race([once(helper.process.stdout as NodeJS.ReadableStream, 'readable'), outgrown]);
};

async function burn(
  fault: Fault,
  { main, cgroup }: ContainerProcesses,
  script: string,
  args: readonly string[] = [],
): Promise<Helper> {
  const helper = await startHelper({ livesWith: main, cgroup, script, args });
  fault.onHeal(async () => {
    helper.signal('SIGKILL');
    await helper.ended;
  });
  return helper;
}

/**
 * A container that outgrows its limit is killed as a whole: so the kubelet sets it up where the kernel can do that
 * (memory.oom.group, cgroups version 2). Where it can't, only the largest process dies, which is the helper.
 */
async function endWithHelper({ main, cgroup }: ContainerProcesses, helper: Helper, fault: Fault): Promise<void> {
  let healed = false;
  fault.onHeal(async () => {
    healed = true;
  });
  await helper.ended;
  // Its number may by now be that of a process that has nothing to do with it.
  if (!healed && (await pidsIn(cgroup)).includes(main)) sendSignal(main, 'SIGKILL');
}

const BEYOND_LIMIT = 16 * 1024 * 1024;
const MACHINE_RESERVE = 512 * 1024 * 1024;

/** A container's limit protects the machine; a container without one, or with a high one, does not. */
async function refuseMoreThanTheMachineHas(bytes: number): Promise<void> {
  const [, available = '0'] = /^MemAvailable:\s+(\d+) kB/m.exec(await readFile('/proc/meminfo', 'utf8')) ?? [];
  if (bytes + MACHINE_RESERVE <= Number(available) * 1024) return;
  throw noTarget(
    `this machine has too little memory to hold ${bytes} bytes more`,
    'ask for less, or give the container a memory limit',
  );
}
