/**
 * Which process is meant, when all that is known of it is a number: the system gives numbers again, so the moment of
 * its start counts too. The only place of the package that signals a process by its number; whoever holds a Node child
 * can use that, because Node keeps a child's number until it has seen its end.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process of this PID namespace and this boot. */
export interface ProcessIdentity {
  readonly pid: number;
  /** In the system's own words; only compared. */
  readonly startTime: string;
}

/** The process that has this number now; undefined where there is none. */
export function identify(pid: number): ProcessIdentity | undefined {
  const { startTime, ended } = look(pid) ?? {};
  return startTime === undefined || ended ? undefined : { pid, startTime };
}

/** Whether this very process lives, and not only another that was given its number. */
export function lives({ pid, startTime }: ProcessIdentity): boolean {
  return identify(pid)?.startTime === startTime;
}

/**
 * Sends a signal to this very process, and to no other that was given its number: what has ended gets nothing, and the
 * answer is false. Between the look and the signal there is no wait: for a mistake the process would have to end, and
 * the system to go once round all its numbers, within that moment.
 */
export function signalProcess(process_: ProcessIdentity | undefined, signal: number | NodeJS.Signals): boolean {
  if (!process_ || !lives(process_)) return false;
  try {
    return process.kill(process_.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

interface Look {
  readonly startTime: string;
  /** It has ended, and its parent has not looked yet. */
  readonly ended: boolean;
}

function look(pid: number): Look | undefined {
  return process.platform === 'linux' ? lookInProc(pid) : lookWithPs(pid);
}

function lookInProc(pid: number): Look | undefined {
  const stat = readOr(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The command's name, in parentheses, may hold spaces: the fixed fields begin after the last one.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTime] = [fields?.[0], fields?.[19]];
  return state === undefined || startTime === undefined ? undefined : { startTime, ended: /[ZX]/.test(state) };
}

/** macOS: the date and time of the start. */
function lookWithPs(pid: number): Look | undefined {
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
  const args = ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)];
  const line = readOr(() => execFileSync('ps', args, { encoding: 'utf8', stdio: 'pipe', env }))?.trim();
  const [state = '', ...date] = line?.split(/\s+/) ?? [];
  const started = Date.parse(`${date.join(' ')} UTC`);
  return Number.isNaN(started) ? undefined : { startTime: String(started / 1000), ended: state.startsWith('Z') };
}

/** What it reads, or undefined where that fails. */
export function readOr(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
