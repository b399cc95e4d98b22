/**
 * Asks dependants' hooks, beside the reconciles: a hook may take its time. 2xx is an acknowledgement, 4xx a refusal;
 * anything else is silence, and is asked again for a while. The notice's id is the same each time.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from '../brain/observation.ts';
import type { Millis } from '../brain/time.ts';
import type { Reach } from '../network/reach.ts';
import { send } from '../network/send.ts';
import type { HookCall } from './notices.ts';

/** Where to ask, and for how long. */
export interface Hook {
  readonly url: string;
  /** For one call. */
  readonly timeout: Millis;
  /** When to give up. */
  readonly until: Millis;
}

/** Asks hooks, each notice once at a time. */
export class Hooks {
  readonly #underWay = new Map<string, AbortController>();
  readonly #given = new Set<string>();
  readonly #now: () => Millis;
  readonly #reach: Reach;

  constructor(now: () => Millis, reach: Reach) {
    this.#now = now;
    this.#reach = reach;
  }

  /** Asks, unless that is under way or was given up; `onAnswer` is called at most once. */
  ask(call: HookCall, hook: Hook, onAnswer: (answer: Answer) => void): void {
    if (this.#underWay.has(call.notice) || this.#given.has(call.notice)) return;
    const abort = new AbortController();
    this.#underWay.set(call.notice, abort);
    void this.#pursue(call, hook, abort.signal).then((answer) => {
      this.#underWay.delete(call.notice);
      if (abort.signal.aborted) return;
      this.#given.add(call.notice);
      if (answer) onAnswer({ notice: call.notice, answer });
    });
  }

  /** Breaks off what is under way. */
  close(): void {
    for (const abort of this.#underWay.values()) abort.abort();
  }

  /** Forgets what was asked for an incident that is over. */
  forget(incident: string): void {
    for (const notice of this.#given) if (notice.startsWith(`${incident}/`)) this.#given.delete(notice);
  }

  async #pursue(call: HookCall, hook: Hook, signal: AbortSignal): Promise<Answer['answer'] | undefined> {
    do {
      const answer = await ask(call, hook, this.#reach, signal);
      if (answer || signal.aborted) return answer;
      await delay(pause, undefined, { signal }).catch(() => {});
    } while (!signal.aborted && this.#now() < hook.until);
    return undefined;
  }
}

const pause = 1000;
/** Not now, rather than no. */
const passing: ReadonlySet<number> = new Set([408, 425, 429]);

async function ask(
  call: HookCall,
  { url, timeout }: Hook,
  reach: Reach,
  stop: AbortSignal,
): Promise<Answer['answer'] | undefined> {
  const headers = new Headers({ 'content-type': 'application/json', 'user-agent': 'kurator' });
  const signal = AbortSignal.any([stop, AbortSignal.timeout(timeout)]);
  try {
    const { status } = await send(url, { body: JSON.stringify(call), headers, signal }, reach);
    if (status >= 200 && status < 300) return 'ready';
    return status >= 400 && status < 500 && !passing.has(status) ? 'refused' : undefined;
  } catch {
    return undefined;
  }
}
