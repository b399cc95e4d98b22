/**
 * One long-running program of a cluster: where its log goes, how it is stopped and
 * started, and that it comes back by itself when it dies without being asked to.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { TestenvError } from '../error.ts';
import { until } from '../internal/until.ts';
import { identify, type ProcessIdentity, signalProcess } from '../process/process-identity.ts';
import type { Machine } from './machine.ts';
import { dyingWithParent, entering, onlyChild } from './namespaces.ts';

export interface ComponentOptions {
  name: string;
  command: string;
  args: readonly string[];
  env?: NodeJS.ProcessEnv;
  /** The file its output is appended to. */
  log: string;
  /** Runs on the host unless given. */
  machine?: Machine;
}

export interface Component {
  readonly name: string;
  readonly machine: Machine | undefined;
  readonly log: string;
  /** The process as the host sees it, while it runs. */
  readonly pid: number | undefined;
  start(): Promise<void>;
  /** Asks it to end, and makes it end after a few seconds. It stays down until `start`. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Throws with the end of its log if it has ended by itself since `start`. */
  assertRunning(): Promise<void>;
}

/** No proxy can be reached from a machine, and all that a machine talks to is in the cluster. */
const withoutProxy = Object.fromEntries(
  ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']
    .flatMap((name) => [name, name.toLowerCase()])
    .map((name) => [name, undefined]),
);
const RESTART_DELAY = 1000;
const STOP_DEADLINE = 5000;

export function createComponent(options: ComponentOptions): Component {
  const { name, machine, log } = options;
  let child: ChildProcess | undefined;
  let main: ProcessIdentity | undefined;
  let wanted = false;
  let deaths = 0;
  let restart: NodeJS.Timeout | undefined;

  async function launch(): Promise<void> {
    const output = openSync(log, 'a');
    const [command, args] = commandLine(options);
    const started = spawn(command, args, {
      stdio: ['ignore', output, output],
      env: { ...process.env, ...(machine ? withoutProxy : {}), ...options.env },
    });
    closeSync(output);
    child = started;
    started.once('exit', () => {
      if (child !== started) return;
      child = undefined;
      main = undefined;
      deaths += 1;
      if (wanted && (!machine || machine.system))
        restart = setTimeout(() => void launch().catch(() => {}), RESTART_DELAY);
    });
    await new Promise<void>((resolve, reject) => started.once('spawn', resolve).once('error', reject));
    const outer = started.pid as number;
    const pid = machine ? await until(`${name} to start`, () => onlyChild(outer), { watch: started }) : outer;
    main = identify(pid);
  }

  return {
    name,
    machine,
    log,
    get pid() {
      return main?.pid;
    },
    async start() {
      if (child) return;
      clearTimeout(restart);
      wanted = true;
      deaths = 0;
      await launch();
    },
    async stop(signal = 'SIGTERM') {
      wanted = false;
      clearTimeout(restart);
      const stopping = child;
      if (!stopping || !main) return;
      const ended = new Promise<void>((resolve) => stopping.once('exit', () => resolve()));
      const target = main;
      signalProcess(target, signal);
      const deadline = setTimeout(() => signalProcess(target, 'SIGKILL'), STOP_DEADLINE);
      await ended;
      clearTimeout(deadline);
    },
    async assertRunning() {
      if (deaths === 0) return;
      throw new TestenvError(
        'KUR_TESTENV_COMPONENT',
        `${name} ended right after it was started: ${await lastLines(log)}`,
        {
          remedy: `its whole log is ${log}`,
        },
      );
    },
  };
}

function commandLine({ command, args, machine }: ComponentOptions): [string, string[]] {
  if (!machine) return dyingWithParent(command, args);
  if (!machine.system) throw new TestenvError('KUR_TESTENV_MACHINE_OFF', `the machine ${machine.name} is powered off`);
  return entering(machine.system, command, args);
}

async function lastLines(log: string): Promise<string> {
  const text = await readFile(log, 'utf8').catch(() => '');
  const lines = text.trim().split('\n');
  const telling = lines.filter((line) => /^[EF]\d{4}|level":"(error|fatal|panic)|panic:|^Error|error:/i.test(line));
  return (telling.length > 0 ? telling : lines).slice(-3).join('\n').slice(-1500);
}
