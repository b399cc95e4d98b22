/** Something that runs beside a pod's container: an ephemeral container, which sees its processes and shares its network. */
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Client,
  type ContainerState,
  type EphemeralContainer,
  hasCode,
  isNotFound,
  Pod,
  runInPod,
  type SecurityContext,
} from '@kurator/client';
import { runInside } from './inside.ts';
import { containerOf, missing, type Stage } from './means.ts';
import { verbatim } from './scripts.ts';

/** What is to run. */
export interface Companion {
  readonly script: string;
  /** `$2` and `$3`: before them is the id of the pod's container, after them the second at which it begins at the latest. */
  readonly args: readonly [string | number, number];
  /** Of its own; that of the pod's container unless given. */
  readonly security?: SecurityContext;
  /** Whether it takes its own end, together with the pod's, for success. */
  readonly isFatal?: boolean;
}

const fieldManager = 'kurator-drill';
const startTimeout = 60_000;
const healTimeout = 15_000;
const breath = 100;
/** Clocks differ. */
const allowance = 30_000;

const companionName = (id: string) => `kurator-drill-${id}`;

function companionOf(stage: Stage, pod: Pod, { script, args, security }: Companion): EphemeralContainer {
  const target = containerOf(pod, stage.container);
  const image = stage.image ?? target.image;
  const securityContext = security ?? target.securityContext;
  const known = pod.status?.containerStatuses?.find(({ name }) => name === target.name)?.containerID ?? '';
  const latest = Math.ceil((Date.now() + startTimeout + allowance) / 1000);
  const all = [known.slice(known.lastIndexOf('/') + 1), ...args, latest];
  return {
    name: companionName(stage.id),
    ...(image && { image }),
    imagePullPolicy: 'IfNotPresent',
    targetContainerName: target.name,
    command: ['sh', '-c', verbatim(script), 'drill', ...all.map(String)],
    ...(securityContext && { securityContext }),
  };
}

/** Whether the server would let it in, and its image has a shell: it is asked, and stores nothing. */
export async function checkBeside(stage: Stage, pod: Pod, companion: Companion, remedy: string): Promise<void> {
  if (!stage.image && (await lacksShell(stage, pod))) {
    throw missing(`the image of ${pod.metadata.name} has no shell`, 'name one that has, with --image');
  }
  try {
    await add(stage, pod, companion, true);
  } catch (error) {
    if (!hasCode(error, 'KUR_CLIENT_FORBIDDEN') && !hasCode(error, 'KUR_CLIENT_INVALID')) throw error;
    throw missing(`nothing may run beside ${pod.metadata.name}: ${error.message}`, remedy, error);
  }
}

/** Certainly: where nobody may look into it, it is tried. */
async function lacksShell(stage: Stage, pod: Pod): Promise<boolean> {
  try {
    return (await runInside(stage, pod, ':')) === undefined;
  } catch {
    stage.signal.throwIfAborted();
    return false;
  }
}

/** Not broken off by a Ctrl-C: what was added must be known. */
async function add(stage: Stage, pod: Pod, companion: Companion, dryRun: boolean): Promise<void> {
  const patch = { spec: { ephemeralContainers: [companionOf(stage, pod, companion)] } };
  const options = { type: 'strategic', subresource: 'ephemeralcontainers', dryRun, fieldManager } as const;
  await stage.client.patch(Pod, pod.metadata, patch, options);
}

/** Resolves when it has said that the fault is there, with the last moment at which it had not. */
export async function runBeside(stage: Stage, pod: Pod, companion: Companion): Promise<number> {
  await add(stage, pod, companion, false);
  const { client, signal } = stage;
  const name = companionName(stage.id);
  const end = Date.now() + startTimeout;
  for (let before = Date.now(); ; before = Date.now()) {
    const { status } = await client.get(Pod, pod.metadata, { signal });
    const { state = {} } = status?.ephemeralContainerStatuses?.find((one) => one.name === name) ?? {};
    // It speaks before its state is told.
    const words = await wordsOf(client, pod, name, signal);
    if (/^ok$/m.test(words) || (companion.isFatal && endedWithIt(state))) return before;
    const trouble = troubleOf(state, words) ?? (Date.now() > end ? 'it did not begin in time' : undefined);
    if (trouble) throw failed(pod, trouble);
    await delay(breath, undefined, { signal });
  }
}

/** Whoever kills the first process of its own namespace goes with it, maybe before it is heard. */
function endedWithIt({ terminated }: ContainerState): boolean {
  return terminated !== undefined && [0, 137].includes(terminated.exitCode);
}

function troubleOf({ terminated, waiting }: ContainerState, words: string): string | undefined {
  if (terminated) return words || terminated.message || `it ended with ${terminated.exitCode}`;
  return isStuck(waiting) ? `${waiting?.reason}: ${waiting?.message ?? ''}` : undefined;
}

/** It never began, and will not. */
function isStuck(waiting: ContainerState['waiting']): boolean {
  return /Err|Invalid|BackOff/.test(waiting?.reason ?? '');
}

function failed(pod: Pod, why: string): Error {
  const said = why.replaceAll(/^(pid \d+|ok)$\n?/gm, '').trim();
  const remedy = 'give an image that has what it needs with --image; kurator drill --list says what that is';
  return missing(`what runs beside ${pod.metadata.name} failed: ${said}`, remedy);
}

/** Tells it to undo the fault, and waits until it has gone. */
export async function endBeside(client: Client, pod: Pod, id: string): Promise<void> {
  const signal = AbortSignal.timeout(healTimeout);
  try {
    await untilEnded(client, pod, companionName(id), signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    const what = `what runs beside ${pod.metadata.name} has not ended within ${healTimeout / 1000} s`;
    throw missing(what, 'try again', error);
  }
}

async function untilEnded(client: Client, pod: Pod, name: string, signal: AbortSignal): Promise<void> {
  let told = false;
  for (;;) {
    const now = await client.find(Pod, pod.metadata, { signal });
    if (!now || now.metadata.uid !== pod.metadata.uid) return;
    const { state = {} } = now.status?.ephemeralContainerStatuses?.find((one) => one.name === name) ?? {};
    if (hasEnded(now, name, state)) return;
    if (isStuck(state.waiting)) {
      const what = `what runs beside ${pod.metadata.name} has yet to begin: ${state.waiting?.reason}`;
      throw missing(what, 'it does not begin any more when its time is over: try again in two minutes');
    }
    if (state.running && !told) told = await tell(client, pod, name, signal);
    // Of a pod that is being taken away, nobody says which of its containers has ended until all have.
    if (told && now.metadata.deletionTimestamp) return;
    await delay(breath, undefined, { signal });
  }
}

/** Or never will begin. */
function hasEnded({ spec }: Pod, name: string, { running, terminated }: ContainerState): boolean {
  const added = spec?.ephemeralContainers?.find((one) => one.name === name);
  return !added || terminated !== undefined || (!running && isTooLate(added));
}

/** Its script sees the same, and does nothing. */
function isTooLate({ command }: EphemeralContainer): boolean {
  return Date.now() - allowance > Number(command?.at(-1)) * 1000;
}

/** False if it could not be told yet. */
async function tell(client: Client, pod: Pod, container: string, signal: AbortSignal): Promise<boolean> {
  const [, pid] = /^pid (\d+)$/m.exec(await wordsOf(client, pod, container, signal)) ?? [];
  if (!pid) return false;
  const command = ['sh', '-c', `kill -INT ${pid}`];
  try {
    await runInPod(client, { ...pod.metadata }, command, { container, signal });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    // It may just be ending by itself, or not be there yet: then it is looked at again.
    if (isNotFound(error)) return true;
    return false;
  }
}

async function wordsOf(client: Client, pod: Pod, container: string, signal: AbortSignal): Promise<string> {
  // Of one that has only just begun there is nothing to read yet.
  return await client.logs(pod.metadata, { container, signal }).catch(() => '');
}
