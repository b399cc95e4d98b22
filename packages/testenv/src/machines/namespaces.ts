/**
 * Holding and entering Linux namespaces. Every holder is tied to the process that
 * made it by a parent-death signal, so the kernel itself ends what a killed
 * supervisor would have left behind.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { until } from '../internal/until.ts';
import { identify, type ProcessIdentity, signalProcess } from '../process/process-identity.ts';

const dieWithParent = process.platform === 'linux' ? ['setpriv', '--pdeathsig', 'KILL', '--'] : [];

/** The command line that runs `command` such that the kernel ends it when this process ends. */
export function dyingWithParent(command: string, args: readonly string[]): [string, string[]] {
  const [first = command, ...rest] = [...dieWithParent, command];
  return [first, [...rest, ...args]];
}

/** The process that keeps namespaces alive, as the host sees it. */
export interface Holder extends ProcessIdentity {
  /** It, or its parent, which ends with it. */
  readonly process: ChildProcess;
}

/** A network namespace with nothing in it but loopback, alive as long as its holder. */
export async function holdNetwork(): Promise<Holder> {
  const [command, args] = dyingWithParent('unshare', ['--net', '--', 'sleep', 'infinity']);
  const holder = spawn(command, args, { stdio: 'ignore' });
  const pid = pidOf(holder);
  await until('a network namespace', async () => (await commandName(pid)) === 'sleep', { watch: holder });
  return { ...identified(pid), process: holder };
}

/**
 * Process, mount, host-name and IPC namespaces inside a network namespace. `script` runs
 * as their init: it prints `ready` once and then stays; when it dies, all within dies.
 */
export async function holdSystem(network: Holder, script: string, args: readonly string[]): Promise<Holder> {
  const [command, line] = dyingWithParent('nsenter', [
    ...[`--net=/proc/${network.pid}/ns/net`, '--'],
    ...['unshare', '--mount', '--pid', '--uts', '--ipc', '--fork', '--kill-child', '--mount-proc', '--'],
    ...['sh', '-c', script, 'init', ...args],
  ]);
  const outer = spawn(command, line, { stdio: ['ignore', 'pipe', 'pipe'] });
  await firstLine(outer);
  const pid = await until('the init process', () => onlyChild(pidOf(outer)), { watch: outer });
  return { ...identified(pid), process: outer };
}

/** The command line that runs `command` inside everything that `init` lives in. */
export function entering(init: Holder, command: string, args: readonly string[]): [string, string[]] {
  return parenting(['-t', String(init.pid), '-m', '-p', '-n', '-u', '-i'], command, args);
}

/**
 * The command line that runs `command` as the only child of a shell that is left outside some namespaces: `nsenter`'s
 * options say which. nsenter could be that parent itself, but it stops when its child is stopped; a stopped parent
 * collects no dead child, and until its dead are collected, a process namespace can't end.
 */
export function parenting(namespaces: readonly string[], command: string, args: readonly string[]): [string, string[]] {
  return ['nsenter', [...namespaces, '--no-fork', '--', 'sh', '-c', '"$@"; exit $?', 'sh', command, ...args]];
}

/** The command line that runs `command` in a network namespace, otherwise on the host. */
export function enteringNetwork(network: Holder, command: string, args: readonly string[]): [string, string[]] {
  return ['nsenter', [`--net=/proc/${network.pid}/ns/net`, '--', command, ...args]];
}

/** Ends a holder and everything that lives in it, and waits until it is gone. */
export async function release(holder: Holder): Promise<void> {
  const ended = new Promise<void>((resolve) => holder.process.once('exit', () => resolve()));
  if (holder.process.exitCode !== null || holder.process.signalCode !== null) return;
  if (!signalProcess(holder, 'SIGKILL')) holder.process.kill('SIGKILL');
  await ended;
}

/** The one child of a process that waits for it, such as `nsenter --pid`. */
export async function onlyChild(pid: number): Promise<number | undefined> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const [first] = children.trim().split(' ');
  return first ? Number(first) : undefined;
}

function identified(pid: number): ProcessIdentity {
  const found = identify(pid);
  if (!found) throw new Error(`process ${pid}, which holds namespaces, ended right after it was started`);
  return found;
}

async function commandName(pid: number): Promise<string> {
  return (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim();
}

function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error(`${child.spawnfile} did not start`);
  return child.pid;
}

async function firstLine(child: ChildProcess): Promise<string> {
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  return await new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (chunk) => {
      output += chunk;
      if (output.includes('\n')) resolve(output.slice(0, output.indexOf('\n')));
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`a machine's init ended with ${code}: ${errors.trim()}`)));
  });
}
