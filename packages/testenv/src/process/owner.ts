/**
 * Names the process that made a lock, a temporary folder or a cluster, in a way that another process can check later:
 * is it still alive, or has it died and left this behind? A number and a start mean nothing on another machine, after
 * another boot or in another PID namespace, so where they were given counts as well.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { identify, lives, type ProcessIdentity, readOr } from './process-identity.ts';

/** What a name made by {@link ownerToken} says. */
export interface Owner extends ProcessIdentity {
  readonly machine: string;
  readonly boot: string;
  readonly namespace: string;
}

/** A new name for something that this process owns; no two calls give the same one. */
export function ownerToken(): string {
  const { machine, boot, namespace } = here();
  const startTime = identify(process.pid)?.startTime ?? '0';
  return [process.pid, startTime, machine, boot, namespace, randomBytes(4).toString('hex')].join('-');
}

/** Reads a name made by {@link ownerToken}; undefined for any other text. */
export function parseOwner(token: string): Owner | undefined {
  const found = /^(\d+)-(\d+)-([0-9a-f]{8})-([0-9a-f]{8})-([0-9a-f]{8})-[0-9a-f]{8}$/.exec(token);
  if (!found) return undefined;
  const [, pid, startTime = '', machine = '', boot = '', namespace = ''] = found;
  return { pid: Number(pid), startTime, machine, boot, namespace };
}

/** Whether the owner lives: undefined where this process can't know, because the owner runs somewhere else. */
export function isAlive(owner: Owner): boolean | undefined {
  const { machine, namespace } = here();
  // Nothing lives through its machine's reboot.
  if (!isOfThisBoot(owner)) return owner.machine === machine ? false : undefined;
  return owner.namespace === namespace ? lives(owner) : undefined;
}

/** Whether the owner runs, or ran, on the kernel that this process runs on, be it in another container. */
export function isOfThisBoot(owner: Owner): boolean {
  return owner.boot === here().boot;
}

type Place = Pick<Owner, 'machine' | 'boot' | 'namespace'>;
let place: Place | undefined;

function here(): Place {
  const read = (path: string) => readOr(() => readFileSync(path, 'utf8').trim());
  place ??= {
    machine: digest(read('/etc/machine-id') || hostname()),
    boot: digest(read('/proc/sys/kernel/random/boot_id') ?? ''),
    namespace: digest(readOr(() => readlinkSync('/proc/self/ns/pid')) ?? ''),
  };
  return place;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
