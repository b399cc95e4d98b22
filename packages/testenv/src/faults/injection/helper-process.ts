/**
 * A small program that is part of a fault. It lives in somebody else's process namespace, so that the kernel ends it
 * together with the container, pod or machine that it is for.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { until } from '../../internal/until.ts';
import { onlyChild, parenting } from '../../machines/namespaces.ts';
import { joinCgroup } from './cgroup-processes.ts';
import { sendSignal } from './processes.ts';

/** What a helper does, and where. */
export interface HelperOptions {
  /** The process, as the host sees it, whose process namespace the helper dies with. */
  livesWith: number;
  /** A shell script. */
  script: string;
  /** The script's `$0` and what follows. */
  args?: readonly string[];
  /** The path of a network namespace. Default: the host's. */
  network?: string;
  /** The cgroup that all it does counts for. Default: the supervisor's. */
  cgroup?: string;
}

/** A helper that runs. */
export interface Helper {
  /** For what it has to say; the process itself is the helper's parent, which ends when the helper does. */
  readonly process: ChildProcess;
  readonly ended: Promise<void>;
  /** Does nothing once it has ended. */
  signal(signal: NodeJS.Signals): void;
}

/** It is held at the door until it is in its cgroup: what it took before would not count there. */
const gate = 'read -r go || exit; ';

/** Starts a helper; it is at work when this returns. */
export async function startHelper({ livesWith, script, args = [], network, cgroup }: HelperOptions): Promise<Helper> {
  const namespaces = [`--pid=/proc/${livesWith}/ns/pid`, ...(network ? [`--net=${network}`] : [])];
  const [command, line] = parenting(namespaces, 'sh', ['-c', `${gate}${script}`, ...args]);
  const outer = spawn(command, line, { stdio: ['pipe', 'pipe', 'ignore'] });
  outer.stdin?.on('error', () => {});
  const ended = new Promise<void>((resolve) => outer.once('exit', () => resolve()).once('error', () => resolve()));
  const inner = await letIn(outer, cgroup).catch((error: unknown) => {
    // Without its input, it ends at the door.
    outer.stdin?.end();
    throw error;
  });
  return {
    process: outer,
    ended,
    signal(signal) {
      // As long as its parent waits for it, the number is still its own.
      if (outer.exitCode === null && outer.signalCode === null) sendSignal(inner, signal);
    },
  };
}

async function letIn(outer: ChildProcess, cgroup: string | undefined): Promise<number> {
  const inner = await until('a helper process to start', () => onlyChild(outer.pid ?? 0), { watch: outer });
  if (cgroup) await joinCgroup(cgroup, inner);
  outer.stdin?.write('go\n');
  return inner;
}
