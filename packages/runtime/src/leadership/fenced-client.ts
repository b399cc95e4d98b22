import type { Client, RequestOptions } from '@kurator/client';

/**
 * The same client, which acts only while `fence` lets it: every create, replace, patch, apply, delete and command in a
 * container is refused once this process isn't surely the leader any more, also when that is found out only while it
 * waits for a connection or to be sent again. Reads are anyone's.
 */
export function fencedClient(client: Client, fence: () => void): Client {
  const right = { fence };
  return withGuardedWrites(client, () => right);
}

/** Which argument of a method of the client has its options, for all that may change something. */
const optionsAt = {
  create: 2,
  replace: 2,
  apply: 2,
  patch: 3,
  delete: 2,
  deleteCollection: 1,
  raw: 2,
  exec: 2,
  attach: 1,
} as const;

type Method = keyof typeof optionsAt;
type AnyMethod = (...args: unknown[]) => Promise<unknown>;

/**
 * A right to write, as a client is held to it. `fence` throws unless it surely holds at this instant; `remaining` says for
 * how many milliseconds it does if nothing else is heard, after which a write that is still under way is given up.
 */
export interface WriteRight {
  fence(): void;
  remaining?(): number;
}

// As the client has it.
const TIMEOUT = 30_000;

/**
 * The same client, whose writes and commands in containers need a right: each is refused before it is asked for, and
 * once more right before its bytes go out, also when it is sent again. Reads are anyone's.
 *
 * @param right asked at each write; undefined where none is needed.
 */
export function withGuardedWrites(client: Client, right: () => WriteRight | undefined): Client {
  const methods = Object.entries(optionsAt) as [Method, number][];
  const guarded = methods.map(([name, at]) => [name, guard(client[name] as AnyMethod, at, right)]);
  return { ...client, ...Object.fromEntries(guarded) };
}

function guard(method: AnyMethod, at: number, right: () => WriteRight | undefined): AnyMethod {
  return async (...args) => {
    const needed = args[0] === 'GET' ? undefined : right();
    if (needed) {
      needed.fence();
      args[at] = under(needed, args[at] as RequestOptions | undefined);
    }
    return await method(...args);
  };
}

function under(right: WriteRight, options: RequestOptions = {}): RequestOptions {
  const { guard: own, timeout = TIMEOUT } = options;
  const fence = () => {
    own?.();
    right.fence();
  };
  if (!right.remaining) return { ...options, guard: fence };
  return { ...options, guard: fence, timeout: Math.min(timeout, right.remaining()) };
}
