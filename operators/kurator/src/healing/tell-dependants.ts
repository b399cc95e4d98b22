/** Tells dependants: wakes them, so that they say it in their own status, and asks their hooks. */
import { parseDuration } from '@kurator/sdk';
import type { Notice } from '../brain/incident/incident.ts';
import type { Thought } from '../brain/think.ts';
import { type Millis, minute } from '../brain/time.ts';
import { Kurator } from '../resources/kurator.ts';
import type { Round } from './case.ts';
import { dependantsOf } from './dependencies.ts';
import type { Memory } from './memory.ts';
import { hookCall, unanswered } from './notices.ts';

/** Who is told that it is over need not answer, but should hear of it. */
const afterwards = 5 * minute;

/** Tells those whom the open incident has notices for, until they have answered. Called again it does nothing twice. */
export function tellDependants(
  { ward, mind, kurator, context, now }: Round,
  thought: Pick<Thought, 'notices' | 'history'> & Partial<Pick<Thought, 'incident'>>,
  { answers = [] }: Memory,
  deadline: Millis,
): void {
  const { incident } = thought;
  if (!incident) return;
  ward.wake(thought.notices.map(({ to }) => to));
  const allowed = new Set(dependantsOf(kurator, context).map(({ name }) => name));
  for (const notice of unanswered(incident, answers)) {
    const hook = allowed.has(notice.to) && hookOf(notice, context.get);
    const until = notice.at + (notice.phase === 'before' ? deadline : afterwards);
    if (!hook || now >= until) continue;
    ward.hooks.ask(hookCall(incident, notice), { ...hook, until }, (answer) => {
      mind.answers.push(answer);
      ward.tally.answers.add({ answer: answer.answer });
      ward.wake([mind.name]);
    });
  }
  if (!thought.history.incident) ward.hooks.forget(incident.id);
}

function hookOf({ to }: Notice, get: Round['context']['get']) {
  const [namespace, name = ''] = to.split('/');
  const { hook } = get(Kurator, { name, namespace })?.spec.coordination ?? {};
  return hook && { url: hook.url, timeout: parseDuration(hook.timeout) };
}
