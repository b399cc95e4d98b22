/** Signals to a container's processes. */
import { readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { basename } from 'node:path';
import { until } from '../../internal/until.ts';
import { identify, signalProcess } from '../../process/process-identity.ts';
import type { FreezeRequest, KillRequest } from '../requests/processes.ts';
import { commandName, pidsIn } from './cgroup-processes.ts';
import type { Inject } from './fault.ts';
import { noTarget } from './machine-target.ts';
import { type ContainerProcesses, findContainer } from './pod-target.ts';

const { SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU } = constants.signals;
const stoppingSignals: readonly number[] = [SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU];

/** See {@link KillRequest}. */
export const kill: Inject<KillRequest> = async (request, fault) => {
  const container = await findContainer(fault.cluster, request);
  const { signal = 'SIGKILL' } = request;
  const number = typeof signal === 'number' ? signal : constants.signals[signal as NodeJS.Signals];
  const pids = request.process ? await namedProcesses(container, request.process) : [container.main];
  if (stoppingSignals.includes(number)) {
    fault.claim(`container/${container.id}`);
    fault.onHeal(() => continueAll(container, request.process));
  }
  for (const pid of pids) sendSignal(pid, number);
};

/** See {@link FreezeRequest}. */
export const freeze: Inject<FreezeRequest> = async (request, fault) => {
  const container = await findContainer(fault.cluster, request);
  fault.claim(`container/${container.id}`);
  if (request.process) await namedProcesses(container, request.process);
  fault.onHeal(() => continueAll(container, request.process));
  await until(
    `${request.process ?? 'every process'} of container ${container.container} to stop`,
    async () => {
      // A process may have made another one before it was stopped.
      const running = [];
      for (const pid of await matching(container, request.process)) if (!(await isStopped(pid))) running.push(pid);
      for (const pid of running) sendSignal(pid, SIGSTOP);
      return running.length === 0;
    },
    { interval: 5, timeout: 10_000 },
  );
};

async function continueAll(container: ContainerProcesses, name: string | undefined): Promise<void> {
  for (const pid of await matching(container, name)) sendSignal(pid, constants.signals.SIGCONT);
}

async function namedProcesses(container: ContainerProcesses, name: string): Promise<number[]> {
  const found = await matching(container, name);
  if (found.length > 0) return found;
  const running = await Promise.all((await pidsIn(container.cgroup)).map(commandName));
  throw noTarget(
    `container ${container.container} of pod ${container.title} runs no process called "${name}"`,
    `it runs ${[...new Set(running)].join(', ')}`,
  );
}

async function matching({ cgroup }: ContainerProcesses, name: string | undefined): Promise<number[]> {
  const pids = await pidsIn(cgroup);
  if (name === undefined) return pids;
  const names = await Promise.all(pids.map(async (pid) => [await commandName(pid), await programName(pid)]));
  return pids.filter((_, index) => names[index]?.includes(name));
}

/** The kernel cuts a command's name off after 15 characters; its command line has all of it. */
async function programName(pid: number): Promise<string> {
  const [program = ''] = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
  return basename(program);
}

/** Whether it has come to a halt, and not only been told to; or is no longer there. */
export async function isStopped(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return /^State:\s+[TtZX]/m.test(status) || status === '';
}

/** For a number that the kernel has just given, or whose process is known to live. One that is gone needs no signal. */
export function sendSignal(pid: number, signal: number | NodeJS.Signals): void {
  signalProcess(identify(pid), signal);
}
