/**
 * What must hold before anything is done. Every gate can only say no, and why; all are asked before each action. The
 * rules that the brain never breaks are mostly in here.
 */
import { refuses } from '../cluster/survey.ts';
import type { Diagnosis } from '../diagnosis/cause.ts';
import type { InstanceEvidence, InstanceHealth } from '../evidence/evidence.ts';
import { recentRepairs } from '../incident/history.ts';
import { engagedSince, type HeldBy } from '../incident/incident.ts';
import { minHealthy, onlyTells, type Step } from '../spec.ts';
import { inWords, type Millis, minute, second, within } from '../time.ts';
import { isDisruptive, ladders } from './ladder.ts';
import type { Situation } from './situation.ts';

/** What is about to be done. */
export interface Intent {
  readonly step: Step;
  readonly targets: readonly InstanceEvidence[];
  /** The first wave of an attempt; the others are part of a repair that was already allowed. */
  readonly isFirst: boolean;
}

/** Why not, and until when, where that is known. */
interface No {
  readonly reason: string;
  readonly until?: Millis;
}

/** Why nothing is done anywhere. */
const switchedOff = 'Kurator is switched off in the whole cluster';

type Gate = (situation: Situation, intent: Intent) => string | No | undefined;

/** What was refused is tried again after this, and then less and less often. */
const refusalRetry = 10 * second;
const longestRefusal = 5 * minute;

const gates: Readonly<Record<HeldBy, Gate>> = {
  switch: ({ spec }, { step }) => {
    if (spec.mode === 'Off') return switchedOff;
    return isDisruptive(step) ? onlyTells(spec) : undefined;
  },

  pause: ({ spec }) => (spec.pause ? 'the service is paused' : undefined),

  maintenance: ({ spec, now }) => {
    const window = spec.maintenance.find((one) => within([one], now));
    return window && { reason: 'there is maintenance', until: window.to };
  },

  blindness: ({ evidence }) => evidence.blind,

  doubt: (situation, intent) => {
    const { diagnosis } = situation;
    if (!diagnosis) return 'nothing is confirmed at the moment';
    if (diagnosis.confidence === 'possible' && intent.step !== 'kubernetes') return 'the cause is not sure enough';
    return mayBeAll(situation, diagnosis, intent);
  },

  yield: ({ seen, spec, incident, now }) => {
    const write = seen.workload.foreignWrite;
    if (!write || write.what === 'replicas' || write.at <= engagedSince(incident)) return undefined;
    const until = write.at + spec.recovery.yieldFor;
    const reason = `${write.by} has changed the workload, and has ${inWords(spec.recovery.yieldFor)} for it`;
    return until > now ? { reason, until } : undefined;
  },

  workload: ({ seen }) => (seen.workload.paused ? 'somebody has paused the workload' : undefined),

  rollout: ({ seen }, { step }) =>
    seen.workload.rollout === 'progressing' && step !== 'rollback' ? 'a rollout is under way' : undefined,

  coolDown: ({ spec, incident, now }, { isFirst }) => {
    const endedAt = incident.attempts.findLast(({ step }) => step !== 'kubernetes')?.endedAt;
    const until = endedAt === undefined ? now : endedAt + spec.recovery.coolDown;
    const reason = `the last repair ended only just now, and a cool-down of ${inWords(spec.recovery.coolDown)} follows`;
    return isFirst && until > now ? { reason, until } : undefined;
  },

  budget: ({ spec, history, now }, { isFirst }) => {
    const { repairs, per } = spec.recovery.budget;
    const spent = recentRepairs(history, per, now);
    const reason = `its budget of ${repairs} repairs in ${inWords(per)} is spent`;
    const [oldest] = spent.slice(spent.length - repairs);
    return isFirst && spent.length >= repairs
      ? { reason, ...(oldest !== undefined && { until: oldest + per }) }
      : undefined;
  },

  cluster: ({ cluster, now }, { isFirst }) => (isFirst ? refuses(cluster, now) : undefined),

  identity: (situation, { targets }) => (situation.spec.stateful ? identityAtRisk(situation, targets) : undefined),

  whereabouts: (situation, { targets }) =>
    situation.spec.stateful ? whereaboutsUnknown(situation, targets) : undefined,

  minimum: (situation, intent) => {
    const { left, least } = worstCase(situation, intent);
    return left < least ? `too few healthy pods would be left: ${left}, and ${least} must be` : undefined;
  },

  disruption: ({ seen, incident, now }, { targets }) => {
    const { refusal } = incident;
    const again = refusal && refusal.at + Math.min(longestRefusal, refusal.times * refusal.times * refusalRetry);
    if (refusal && again !== undefined && now < again && targets.length > 0)
      return { reason: refusal.reason, until: again };
    const allowed = seen.workload.disruptionsAllowed ?? Number.POSITIVE_INFINITY;
    const ready = targets.filter((target) => target.ready).length;
    return ready > allowed ? `a PodDisruptionBudget allows no more than ${allowed} at a time` : undefined;
  },
};

/**
 * All that fail at one moment are not seen to fail at one moment. Where they would be restarted together, the first is not
 * replaced alone while each of the others is under suspicion too; but no longer than a suspicion takes to be confirmed.
 */
function mayBeAll(
  { spec, seen, evidence, incident, now }: Situation,
  { cause }: Diagnosis,
  { step, isFirst }: Intent,
): No | undefined {
  const isRestartable = spec.recovery.steps.restart.enabled && ladders[cause].includes('restart');
  if (step !== 'replace' || !isFirst || !isRestartable || !seen.workload.surge) return undefined;
  const live = evidence.instances.filter(({ health }) => health !== 'terminating');
  if (live.length < 2 || live.some(({ symptoms }) => symptoms.length === 0)) return undefined;
  const confirming = spec.checks.map(({ failAfter, fastest, timeout }) => failAfter * Math.max(fastest, timeout));
  const until = engagedSince(incident) + Math.max(0, ...confirming);
  return now < until ? { reason: 'all of it may fail, and would be restarted together', until } : undefined;
}

/** Healthy instances that the worst outcome of a step would leave, and how many must be. */
function worstCase(
  { spec, evidence, seen }: Situation,
  { step, targets, isFirst }: Intent,
): { left: number; least: number } {
  const touched = step === 'rollback' && isFirst ? evidence.instances.filter(isOf(seen.workload.revision)) : targets;
  // A roll-back takes along what is unknown, and that may well serve.
  const serving = touched.filter(({ health }) => mayServe.has(health));
  const healthy = touched.filter(({ health }) => health === 'healthy').length;
  const left = evidence.counts.healthy - healthy;
  // Whoever serves nobody can't be missed.
  if (serving.length === 0) return { left, least: 0 };
  return { left, least: Math.max(1, minHealthy(spec.recovery, evidence.desired)) };
}

const mayServe: ReadonlySet<InstanceHealth> = new Set<InstanceHealth>(['healthy', 'impaired', 'unknown']);

function isOf(revision: string): (instance: InstanceEvidence) => boolean {
  return (instance) => instance.revision === revision;
}

function identityAtRisk(situation: Situation, targets: readonly InstanceEvidence[]): string | undefined {
  const { starting, terminating } = situation.evidence.counts;
  if (targets.length > 0 && starting + terminating > 0) return 'another pod is still on its way';
  // Nobody is at risk where a person has said that they may run twice.
  if (situation.spec.recovery.moveWhenUnreachable) return undefined;
  const cutOff = mayRunOn(situation, targets).find(({ ready }) => ready === 'unknown');
  return cutOff && `${cutOff.name} may still run on ${cutOff.node}, which is only unreachable, and must not run twice`;
}

/**
 * A node that is lost is reported as silent only after most of a minute (Kubernetes' default is 50 s), and checks are
 * quicker than that. Whoever is not reached until then may well run on such a node: it must not run twice, or, where it may,
 * it has to be taken away by force. But where another pod of the node has answered since, the node lives: what is not reached
 * has more that wait for it than it takes.
 */
const lostNodesAreKnownAfter = minute;

function whereaboutsUnknown(situation: Situation, targets: readonly InstanceEvidence[]): No | undefined {
  const { now } = situation;
  const unreached = mayRunOn(situation, targets).flatMap(({ name, ready, answeredAt, symptoms }) =>
    (ready === 'unknown' ? [] : symptoms)
      .filter(({ kind, since, unreachedSince = since }) => kind === 'unreachable' && answeredAt <= unreachedSince)
      .map(({ since }) => ({ name, until: since + lostNodesAreKnownAfter })),
  );
  const [last] = unreached.toSorted((a, b) => b.until - a.until);
  if (!last || last.until <= now) return undefined;
  const reason = `${last.name} is not reached, and whether its node is lost is known only ${inWords(lostNodesAreKnownAfter)} later`;
  return { reason, until: last.until };
}

/** Those that may run for all that is known, and how their nodes are. */
function mayRunOn({ seen }: Situation, targets: readonly InstanceEvidence[]) {
  return targets.flatMap((target) => {
    const node = seen.nodes.find(({ name }) => name === target.node);
    if (!node || node.gone) return [];
    const { ready, answeredAt = Number.NEGATIVE_INFINITY } = node;
    return { ...target, ready, answeredAt };
  });
}

const inOrder = Object.entries(gates) as [HeldBy, Gate][];

/** The first gate that says no, why, and until when if that is known. */
export interface Refusal extends No {
  readonly by: HeldBy;
}

/** What stands in the way; undefined when it is free. */
export function refusal(situation: Situation, intent: Intent): Refusal | undefined {
  for (const [by, gate] of inOrder) {
    const no = gate(situation, intent);
    if (no !== undefined) return { by, ...(typeof no === 'string' ? { reason: no } : no) };
  }
  return undefined;
}
