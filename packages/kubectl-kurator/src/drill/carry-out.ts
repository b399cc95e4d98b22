/** A drill from beginning to end. Whatever happens in between, the fault is taken away, and the mark too. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@kurator/client';
import type { ActionContext } from '@kurator/command';
import type { Reached } from '@kurator/command/kube';
import { fullName } from '../healer/find.ts';
import { type Incident, kurators } from '../healer/kinds.ts';
import { announce, markIncident } from './announce.ts';
import type { DrillPlan } from './drill-plan.ts';
import { type DrillSubject, subjectOf } from './drill-subject.ts';
import { type Followed, follow } from './follow.ts';
import { claim, type Mark, release } from './mark.ts';
import { type Drill, disturbedOf, type Findings, type Report, reportOf } from './report.ts';
import { startTraffic, type Traffic } from './traffic.ts';

/** What is to be carried out. */
export interface Order {
  readonly reached: Reached;
  /** The service that is drilled. */
  readonly subject: DrillSubject;
  /** Whoever is to fail: the same, or what it depends on. */
  readonly victim: DrillSubject;
  readonly plan: DrillPlan;
  readonly rate: number;
  readonly path?: string | undefined;
}

/** How long it may take to recover when the fault is gone. */
const aftermath = 60_000;
/** Requests that are under way when it has recovered are still waited for. */
const lastWords = 2000;
/** What may pass between the mark and the fault itself. */
const preparation = 90_000;

export async function carryOut(context: ActionContext, order: Order): Promise<Report> {
  const { reached, subject, victim, plan, rate, path } = order;
  const { client } = reached;
  const { signal, say } = context;
  const mark = markFor(order);
  await claim(client, subject.kurator, mark, signal);
  let traffic: Traffic | undefined;
  let ending = 'broken off';
  try {
    traffic = await startTraffic(client, subject, { rate, path, signal });
    await announce(client, subject.kurator, 'DrillStarted', `${plan.id}: ${plan.means.plan}; until ${mark.until}`);
    const startedAt = new Date().toISOString();
    say(`Drill ${plan.id}: ${plan.means.plan}.`);
    const at = await plan.means.inject();
    const seen = await observe(context, order, at);
    await delay('unmeasured' in traffic.since(at) ? 0 : lastWords, undefined, { signal });
    const requests = traffic.since(at);
    const after = await subjectOf(reached, fullName(subject.kurator), signal);
    const drill: Drill = {
      id: plan.id,
      fault: plan.fault,
      service: fullName(subject.kurator),
      ...(victim !== subject && { dependency: fullName(victim.kurator) }),
      did: plan.means.plan,
      pods: plan.pods.map(({ metadata }) => metadata.name),
      startedAt,
      deadlineSeconds: plan.deadlineSeconds,
    };
    const report = reportOf({ drill, at, ...seen, requests, disturbed: disturbed(order, after) });
    ending = report.outcome;
    return report;
  } finally {
    traffic?.stop();
    await end(client, order, { until: mark.until, ending, say });
  }
}

type Seen = Pick<Findings, 'course' | 'isTimeOver' | 'dependant' | 'decision'>;

/** Until it has recovered; or until its time is over, and then until it has recovered without the fault. */
async function observe(context: ActionContext, { reached, subject, victim, plan }: Order, at: number): Promise<Seen> {
  const { signal, say } = context;
  const { client } = reached;
  const deadline = at + plan.deadlineSeconds * 1000;
  const marked = new Set<string>();
  const tell = (incident: Incident) => {
    const { name } = incident.metadata;
    const { stage = 'new', summary = '' } = incident.status ?? {};
    say(`  +${((Date.now() - at) / 1000).toFixed(1)} s  ${name} ${stage}${summary && `: ${summary}`}`);
    if (marked.has(name)) return;
    marked.add(name);
    // It is only a mark: a drill does not fail for the lack of it.
    markIncident(client, incident, plan.id).catch(() => {});
  };
  const options = { signal, onNews: tell };
  const whole = followed(victim);
  let course = await follow(client, whole, {}, { ...options, until: deadline });
  if (plan.fault === 'load') await delay(Math.max(0, deadline - Date.now()), undefined, { signal });
  const isTimeOver = course.recoveredAt === undefined;
  let decision: string | undefined;
  if (isTimeOver) {
    if (plan.fault !== 'load') decision = (await client.find(kurators, victim.kurator.metadata))?.status?.decision;
    await plan.means.heal();
    const until = Date.now() + aftermath;
    if (course.incident) course = await follow(client, whole, course, { ...options, until });
  }
  if (victim === subject) return { course, isTimeOver, decision };
  const dependant = await follow(client, followed(subject), {}, { ...options, until: Date.now() + lastWords });
  return { course, isTimeOver, decision, dependant };
}

function followed({ kurator, incidents }: DrillSubject): Followed {
  const { name, namespace = 'default' } = kurator.metadata;
  return { namespace, service: name, known: new Set(incidents.map(({ metadata }) => metadata.name)) };
}

function disturbed({ subject, victim, plan }: Order, after: DrillSubject): string[] {
  // A roll-out, good or bad, replaces whom it must.
  if (plan.fault === 'crash-loop') return [];
  const targets = victim === subject && plan.fault !== 'load' ? plan.pods : [];
  return disturbedOf(subject.pods, targets, after.pods);
}

function markFor({ subject, victim, plan }: Order): Mark {
  return {
    id: plan.id,
    fault: plan.fault,
    until: new Date(Date.now() + plan.deadlineSeconds * 1000 + preparation).toISOString(),
    ...(victim !== subject && { dependency: fullName(victim.kurator) }),
    pods: plan.pods.map(({ metadata }) => metadata.name),
    ...(plan.container && { container: plan.container }),
  };
}

/** With requests of their own, which no Ctrl-C breaks off. */
async function end(
  client: Client,
  { subject: { kurator }, plan }: Order,
  { until, ending, say }: { until: string; ending: string; say: ActionContext['say'] },
): Promise<void> {
  try {
    await plan.means.heal();
  } catch (error) {
    // The mark stays: by it the fault can still be found.
    const again = `kurator drill ${kurator.metadata.name} --heal`;
    say(`The fault could not be taken away now (${(error as Error).message}).`);
    say(`It ends by itself, ${until} at the latest; ${again} tries again.`);
    return;
  }
  await release(client, kurator, plan.id);
  await announce(client, kurator, 'DrillEnded', `${plan.id}: ${ending}`);
}
