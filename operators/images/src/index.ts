/** New images come by themselves, are judged, and go back by themselves. */
import {
  type AuthorContext,
  type AuthorResult,
  type ConditionClaim,
  CronJob,
  conditionOf,
  DaemonSet,
  Deployment,
  Job,
  type KubernetesObject,
  operator,
  Pod,
  Secret,
  ServiceAccount,
  StatefulSet,
} from '@kurator/sdk';
import { type Decision, decide, type Phase, type Situation } from './brain/decide.ts';
import { digestOf, tagOf } from './brain/image-text.ts';
import type { Memory } from './brain/memory.ts';
import type { Judge } from './judgement/judge.ts';
import { clearLeftovers, judgeByRollout, runningDigest } from './judgement/observe.ts';
import { memoryOf, recordOf } from './record.ts';
import { logInsOf } from './registries/log-ins.ts';
import { Looks } from './registries/looks.ts';
import { registriesOf } from './registries/settings.ts';
import { type Seen, see } from './registries/sight.ts';
import { ImageUpdate } from './resources.ts';
import { type Settings, settingsOf } from './settings.ts';
import { findTarget, obstacleOf, type Target, writeImage } from './workload.ts';

export { ImageUpdate } from './resources.ts';

const APPROVE = 'delivery.kurator.sh/approve';
const RESUME = 'delivery.kurator.sh/resume';
const LIFT = 'delivery.kurator.sh/lift';

/** Under which an ImageUpdate is found by its workload. */
const keyOf = (kind: string, namespace: string | undefined, name: string) => `${kind}/${namespace}/${name}`;

/** Who says whether it does well. */
const judge: Judge = judgeByRollout;
/** Of the operator that runs in this process. */
let looks: Looks | undefined;

export const images = operator({ name: 'images-operator' })
  .controller(ImageUpdate, { timeout: '1m', concurrency: 8 })
  .index(ImageUpdate, 'target', ({ spec: { target }, metadata }) => keyOf(target.kind, metadata.namespace, target.name))
  .watches(Deployment, concerned('Deployment'))
  .watches(StatefulSet, concerned('StatefulSet'))
  .watches(DaemonSet, concerned('DaemonSet'))
  .watches(CronJob, concerned('CronJob'))
  .uses(Deployment, ['patch'])
  .uses(StatefulSet, ['patch'])
  .uses(DaemonSet, ['patch'])
  .uses(CronJob, ['patch'])
  .uses(Pod, ['list', 'delete'])
  .uses(Job, ['list'])
  .uses(Secret, ['get'])
  .uses(ServiceAccount, ['get'])
  .beside(() => {
    const client = registriesOf(process.env);
    looks = new Looks(client);
    return {
      name: 'registries',
      run: async ({ stop }) => {
        await new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }));
        await client.close();
      },
    };
  })
  .reconcile(reconcile);

function concerned(kind: string) {
  return ({ metadata }: KubernetesObject, { byIndex }: Pick<AuthorContext<'target'>, 'byIndex'>) =>
    byIndex(ImageUpdate, 'target', keyOf(kind, metadata.namespace, metadata.name));
}

async function reconcile(update: ImageUpdate, context: AuthorContext<'target'>): Promise<AuthorResult<ImageUpdate>> {
  const now = Date.now();
  const settings = settingsOf(update);
  const memory = memoryOf(update.status);
  const found = findTarget(update, context);
  const target = typeof found === 'string' ? undefined : found;
  const image = target?.container.image;
  const seen =
    target && image && isLooking(update, memory, image)
      ? await look(update, target, settings, context, now)
      : undefined;
  const situation: Situation = {
    ...settings,
    now,
    policy: update.spec.policy,
    suspend: update.spec.suspend,
    dryRun: update.spec.dryRun,
    image,
    obstacle: typeof found === 'string' ? found : obstacleOf(found),
    sight: seen?.sight ?? { is: 'unknown', why: 'the registry was not asked' },
    memory,
    annotations: annotationsOf(update),
    leftovers: false,
    ...(target && !update.spec.suspend ? await observe(target, memory, seen, context) : {}),
  };
  const decision = decide(situation);
  if (target && decision.write) await writeImage(target, decision.write, context);
  for (const { type, reason, message } of decision.tell) context.event(type, reason, message);
  if (decision.tell.length > 0) context.log.info(decision.why, { phase: decision.phase });
  return {
    status: statusOf(decision, image, situation.runningDigest),
    conditions: conditionsOf(update, decision, seen, context),
    ...nextPass(decision, seen, settings, now, context),
  };
}

/** While something is under way, or held, the registry has no say. */
function isLooking({ spec, metadata }: ImageUpdate, { update, hold, known }: Memory, image: string): boolean {
  if (spec.suspend || update) return false;
  const isResumed = metadata.annotations?.[RESUME] !== undefined;
  return hold || (known !== undefined && known !== image) ? isResumed : true;
}

async function look(
  update: ImageUpdate,
  { pod, container, workload }: Target,
  { interval }: Settings,
  context: AuthorContext,
  now: number,
): Promise<Seen> {
  const logIns = await logInsOf(pod, workload.metadata.namespace ?? '', context).catch((error) => error as Error);
  if (logIns instanceof Error) return unusable(logIns, now + interval);
  looks ??= new Looks(registriesOf(process.env));
  return await see(update, container.image ?? '', { looks, logIns, interval, now });
}

/** A pull Secret that can't be read is its owner's trouble, and no reason to ask without it. */
function unusable(error: Error, again: number): Seen {
  const { remedy = '' } = error as { remedy?: string };
  const message = `${error.message} ${remedy}`.trim();
  return { sight: { is: 'unknown', why: message }, trouble: { reason: 'BadPullSecret', message }, again };
}

/** What of the cluster a decision needs just now: nobody asks for more. */
async function observe(
  target: Target,
  { update }: Memory,
  seen: Seen | undefined,
  context: AuthorContext,
): Promise<Partial<Situation>> {
  const { image = '' } = target.container;
  if (update?.stage === 'Judging' && image === update.to) {
    return { verdict: await judge({ target, image: update.to, since: update.since }, context) };
  }
  if (update?.stage === 'RollingBack' && image === update.back) {
    return { leftovers: await clearLeftovers(target, update.to, context) };
  }
  const isOffered = seen?.sight.is === 'known' && seen.sight.newer.length > 0;
  if (!update && isOffered && digestOf(image) === undefined) {
    return { runningDigest: await runningDigest(target, context) };
  }
  return {};
}

function annotationsOf({ metadata: { annotations = {} } }: ImageUpdate): Situation['annotations'] {
  return { approve: annotations[APPROVE], resume: annotations[RESUME], lift: annotations[LIFT] };
}

function statusOf({ phase, why, memory, candidate }: Decision, image: string | undefined, digest: string | undefined) {
  const tag = image === undefined ? undefined : tagOf(image);
  const runs = image === undefined ? undefined : (digestOf(image) ?? digest);
  const running =
    image === undefined ? {} : { running: { image, ...(tag ? { tag } : {}), ...(runs ? { digest: runs } : {}) } };
  const offered = candidate
    ? { candidate: { ...candidate, firstSeen: new Date(candidate.firstSeen).toISOString() } }
    : {};
  return { phase, why, ...running, ...offered, ...recordOf(memory) };
}

const isReady: Readonly<Record<Phase, boolean>> = {
  UpToDate: true,
  DryRun: true,
  Waiting: true,
  Suspended: true,
  Writing: false,
  Judging: false,
  RollingBack: false,
  Held: false,
  Unknown: false,
};

/** A change is told once; how it is now stands in the condition. */
function conditionsOf(
  { status }: ImageUpdate,
  { phase, why }: Decision,
  seen: Seen | undefined,
  { event }: Pick<AuthorContext, 'event'>,
): ConditionClaim[] {
  const ready: ConditionClaim = {
    type: 'Ready',
    status: isReady[phase] ? 'True' : 'False',
    reason: phase,
    message: why,
  };
  if (!seen) return [ready];
  const { trouble } = seen;
  if (trouble && conditionOf(status?.conditions, 'RegistryAvailable')?.message !== trouble.message) {
    event('Warning', `Registry${trouble.reason}`, trouble.message);
  }
  const registry: ConditionClaim = trouble
    ? { type: 'RegistryAvailable', status: 'False', ...trouble }
    : { type: 'RegistryAvailable', status: 'True', reason: 'Answers', message: 'it answered' };
  return [ready, registry];
}

function nextPass(
  { until, phase }: Decision,
  seen: Seen | undefined,
  { interval }: Settings,
  now: number,
  { requeue }: Pick<AuthorContext, 'requeue'>,
) {
  // A change of the spec, an annotation or the workload comes by itself.
  if (phase === 'Suspended' || phase === 'Held') return {};
  const times = [seen?.again ?? (until === undefined ? now + interval : undefined), until].filter(
    (time) => time !== undefined,
  );
  return requeue(Math.max(Math.min(...times) - now, 1));
}
