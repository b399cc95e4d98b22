/**
 * Names the process that made a lock or a temporary folder, in a way that another process can check later:
 * is it still alive, or has it died and left this behind? Process ids are reused, so the start time counts too,
 * and they mean nothing on another machine or in another PID namespace, so where they were given counts as well.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** What a name made by {@link ownerToken} says. */
export interface Owner {
  readonly pid: number;
  readonly startTime: string;
  readonly place: string;
}

/** A new name for something that this process owns; no two calls give the same one. */
export function ownerToken(): string {
  return [process.pid, startTimeOf(process.pid) ?? '0', placeOfProcessIds(), randomBytes(4).toString('hex')].join('-');
}

/** Reads a name made by {@link ownerToken}; undefined for any other text. */
export function parseOwner(token: string): Owner | undefined {
  const found = /^(\d+)-(\d+)-([0-9a-f]{8})-[0-9a-f]{8}$/.exec(token);
  if (!found) return undefined;
  const [, pid, startTime, place] = found;
  return { pid: Number(pid), startTime: String(startTime), place: String(place) };
}

/** Whether the owner lives: undefined where this process can't know, because the owner runs somewhere else. */
export function isAlive(owner: Owner): boolean | undefined {
  if (owner.place !== placeOfProcessIds()) return undefined;
  if (!exists(owner.pid)) return false;
  return (startTimeOf(owner.pid) ?? '0') === owner.startTime && !isZombie(owner.pid);
}

/** A process that has ended, and whose parent has not looked yet. */
function isZombie(pid: number): boolean {
  return statFields(pid)?.[0] === 'Z';
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function startTimeOf(pid: number): string | undefined {
  return statFields(pid)?.[19];
}

function statFields(pid: number): string[] | undefined {
  const stat = readOr(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The command's name, in parentheses, may hold spaces: the fixed fields begin after the last one.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

let place: string | undefined;

function placeOfProcessIds(): string {
  place ??= createHash('sha256')
    .update(hostname())
    .update(readOr(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')) ?? '')
    .update(readOr(() => readlinkSync('/proc/self/ns/pid')) ?? '')
    .digest('hex')
    .slice(0, 8);
  return place;
}

function readOr(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
