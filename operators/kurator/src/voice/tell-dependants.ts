/** Tells dependants: wakes them, so that they say it in their own status, and asks their hooks. */
import { setTimeout as delay } from 'node:timers/promises';
import { parseDuration } from '@kurator/sdk';
import type { Reach } from '../access/reach.ts';
import { send } from '../access/send.ts';
import type { Incident, Notice } from '../brain/incident/incident.ts';
import type { Answer } from '../brain/observation.ts';
import type { Thought } from '../brain/think.ts';
import { type Millis, minute } from '../brain/time.ts';
import type { Pass } from '../memory/pass.ts';
import type { ServiceRecord } from '../memory/service-record.ts';
import { Kurator } from '../resources/kurator.ts';
import { dependantsOf } from '../senses/dependencies.ts';
import type { Tally } from './metrics/tally.ts';

/** Who is told that it is over need not answer, but should hear of it. */
const afterwards = 5 * minute;

/** A pass of an operator that can ask dependants. */
export interface AskingPass extends Pass {
  readonly scope: {
    readonly hooks: DependantHooks;
    readonly tally: Tally;
    wake(services: Iterable<string>): void;
  };
}

/** Tells those whom the open incident has notices for, until they have answered. Called again it does nothing twice. */
export function tellDependants(
  { scope, memory, kurator, context, now }: AskingPass,
  thought: Pick<Thought, 'notices' | 'history'> & Partial<Pick<Thought, 'incident'>>,
  { answers = [] }: ServiceRecord,
  deadline: Millis,
): void {
  const { incident } = thought;
  if (!incident) return;
  scope.wake(thought.notices.map(({ to }) => to));
  const allowed = new Set(dependantsOf(kurator, context).map(({ name }) => name));
  for (const notice of unanswered(incident, answers)) {
    const hook = allowed.has(notice.to) && hookOf(notice, context.get);
    const until = notice.at + (notice.phase === 'before' ? deadline : afterwards);
    if (!hook || now >= until) continue;
    scope.hooks.ask(hookCall(incident, notice), { ...hook, until }, (answer) => {
      memory.answers.push(answer);
      scope.tally.answers.add({ answer: answer.answer });
      scope.wake([memory.name]);
    });
  }
  if (!thought.history.incident) scope.hooks.forget(incident.id);
}

function hookOf({ to }: Notice, get: Pass['context']['get']) {
  const [namespace, name = ''] = to.split('/');
  const { hook } = get(Kurator, { name, namespace })?.spec.coordination ?? {};
  return hook && { url: hook.url, timeout: parseDuration(hook.timeout) };
}

/** In a sentence, for the dependant's status. */
export function noticeInWords({ at, reason }: Notice): string {
  return `${new Date(at).toISOString()}: ${reason}`;
}

/** The notices that somebody's hook has still to be told of. */
function unanswered({ notices }: Incident, answers: readonly Answer[]): Notice[] {
  const answered = new Set(answers.map(({ notice }) => notice));
  return notices.filter(({ id }) => !answered.has(id));
}

function hookCall({ id, stage, diagnosis }: Incident, notice: Notice): HookCall {
  return {
    notice: notice.id,
    phase: notice.phase,
    to: notice.to,
    incident: id,
    stage,
    ...(diagnosis && { cause: diagnosis.cause }),
    reason: notice.reason,
    at: new Date(notice.at).toISOString(),
  };
}

/** What a hook is POSTed. */
export interface HookCall {
  readonly notice: string;
  readonly phase: Notice['phase'];
  readonly to: string;
  readonly incident: string;
  readonly stage: string;
  readonly cause?: string;
  readonly reason: string;
  readonly at: string;
}

/** Where to ask, and for how long. */
export interface Hook {
  readonly url: string;
  /** For one call. */
  readonly timeout: Millis;
  /** When to give up. */
  readonly until: Millis;
}

/** Asks hooks, each notice once at a time. */
export class DependantHooks {
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
