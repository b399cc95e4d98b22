import type { Client, RequestOptions } from '@kurator/client';
import { currentHold } from './current-hold.ts';

/** Which argument of a method of the client has its options, for all that may change something. */
const writes = { create: 2, replace: 2, apply: 2, patch: 3, delete: 2, deleteCollection: 1, raw: 2 } as const;
/** Those whose connection lasts. */
const sessions = ['exec', 'attach'] as const;

// As the client has it.
const TIMEOUT = 30_000;

type AnyMethod = (...args: unknown[]) => Promise<unknown>;

/**
 * The same client. What it is asked to write under a right is refused once that has ended, and given up, with all its
 * retries, when the right would end by itself. Reads are anyone's, and so is what is written under no right.
 */
export function heldClient(client: Client): Client {
  const held = Object.entries(writes).map(([name, at]) => [
    name,
    fenced(client[name as keyof typeof writes] as AnyMethod, at),
  ]);
  const sessioned = sessions.map((name) => [name, fenced(client[name] as AnyMethod, undefined)]);
  return { ...client, ...Object.fromEntries([...held, ...sessioned]) };
}

function fenced(method: AnyMethod, optionsAt: number | undefined): AnyMethod {
  return async (...args) => {
    const hold = args[0] === 'GET' ? undefined : currentHold();
    hold?.fence();
    if (hold && optionsAt !== undefined) args[optionsAt] = bounded(args[optionsAt] as RequestOptions, hold.remaining());
    return await method(...args);
  };
}

function bounded(options: RequestOptions = {}, remaining: number): RequestOptions {
  return { ...options, timeout: Math.min(options.timeout ?? TIMEOUT, remaining) };
}
