/** What can happen to the simulated cluster: one small function each, in a table. */
import { namespaceOf } from '../cluster/survey.ts';
import { freshHistory } from '../incident/history.ts';
import type { Orders } from '../observation.ts';
import { minute } from '../time.ts';
import type { Operator } from './operator.ts';
import type { Random } from './random.ts';
import type { Referee } from './referee.ts';
import { demolish, deploy, type Illness, rebuild, rollOut, type SimService, type World } from './world.ts';

/** Everything that an event may touch. */
export interface Stage {
  readonly world: World;
  readonly operator: Operator;
  readonly referee: Referee;
  readonly random: Random;
}

/** Ailments that come over a single instance. */
export const ailments: readonly Illness[] = [
  'crash',
  'crash-loop',
  'oom',
  'hang',
  'wrong',
  'slow',
  'loss',
  'saturated',
];
/** Ailments that a revision can bring. */
const revisionAilments: readonly Illness[] = ['crash-loop', 'hang', 'wrong', 'image'];

type Event = (stage: Stage, service: SimService, arg: number) => void;

const table = {
  /** One instance falls ill. */
  ill: (_stage, service, arg) => {
    const instance = service.instances[arg % Math.max(1, service.instances.length)];
    if (instance) instance.illness ??= ailments[arg % ailments.length];
  },
  /** All but the last do. */
  someIll: (_stage, service, arg) => {
    for (const instance of service.instances.slice(0, -1)) instance.illness ??= ailments[arg % ailments.length];
  },
  /** All of them do. */
  allIll: (_stage, service, arg) => {
    for (const instance of service.instances) instance.illness ??= ailments[arg % ailments.length];
  },
  /** One instance fails one request in three. */
  flaky: (_stage, service, arg) => {
    const instance = service.instances[arg % Math.max(1, service.instances.length)];
    if (instance) instance.illness ??= 'flaky';
  },
  /** One instance lets nobody in. */
  deaf: (_stage, service, arg) => {
    const instance = service.instances[arg % Math.max(1, service.instances.length)];
    if (instance) instance.illness ??= 'deaf';
  },
  /** All of them do. */
  allDeaf: (_stage, service) => {
    for (const instance of service.instances) instance.illness ??= 'deaf';
  },
  /** All of them do, and whoever comes after them. */
  allFlaky: (_stage, service) => {
    service.curse = 'flaky';
    for (const instance of service.instances) instance.illness ??= 'flaky';
  },
  /** All of them that are well, and whoever comes after them. */
  curse: (_stage, service, arg) => {
    const curse = ailments[arg % ailments.length];
    if (curse !== service.curse) service.cursedSince = undefined;
    service.curse = curse;
    for (const instance of service.instances) instance.illness ??= curse;
  },
  heal: (_stage, service) => {
    service.curse = undefined;
    for (const instance of service.instances)
      if (!service.badRevisions.has(instance.revision)) instance.illness = undefined;
  },
  badDeploy: (stage, service, arg) => {
    const revision = `r${service.revisions.length + 1}`;
    service.badRevisions.set(revision, revisionAilments[arg % revisionAilments.length] ?? 'crash-loop');
    write(stage, service, revision);
  },
  /** Every other instance of a new revision is ill. */
  flakyDeploy: (stage, service, arg) => {
    const revision = `r${service.revisions.length + 1}`;
    service.flakyRevisions.add(revision);
    service.badRevisions.set(revision, revisionAilments[arg % revisionAilments.length] ?? 'crash-loop');
    write(stage, service, revision);
  },
  goodDeploy: (stage, service) => write(stage, service, `r${service.revisions.length + 1}`),
  /** Somebody brings back one that was there before. */
  redeploy: (stage, service, arg) => {
    const revision = service.revisions[arg % service.revisions.length];
    if (revision !== undefined && revision !== service.revision) write(stage, service, revision);
  },
  nodeSilent: ({ world }, _service, arg) => setNode(world, arg, 'silent'),
  nodeGone: ({ world }, _service, arg) => setNode(world, arg, 'gone'),
  /** Its kubelet is dead, and what runs there goes on. */
  nodeMute: ({ world }, _service, arg) => setNode(world, arg, 'mute'),
  nodesUp: ({ world }) => {
    for (const index of world.nodes.keys()) setNode(world, index, 'up');
  },
  blindChecker: ({ world }) => {
    world.isCheckerBlind = true;
  },
  seeingChecker: ({ world }) => {
    world.isCheckerBlind = false;
  },
  /** The way from the operator to everybody. */
  cutOff: ({ world }) => setWay(world, true),
  reconnect: ({ world }) => setWay(world, false),
  apiDown: ({ operator }) => {
    operator.records.isUp = false;
  },
  apiUp: ({ operator }) => {
    operator.records.isUp = true;
  },
  die: ({ operator }) => operator.die(),
  pause: (_stage, service) => {
    service.spec = { ...service.spec, pause: true };
  },
  unpause: (_stage, service) => {
    service.spec = { ...service.spec, pause: false, maintenance: [], dryRun: false };
  },
  dryRun: (_stage, service) => {
    service.spec = { ...service.spec, dryRun: true };
  },
  /** Somebody turns the cluster's switch. */
  switchOff: ({ world }) => {
    world.mode = 'Off';
  },
  switchObserve: ({ world }) => {
    world.mode = 'Observe';
  },
  switchOn: ({ world }) => {
    world.mode = 'On';
  },
  maintenance: ({ world }, service, arg) => {
    const to = world.now + (1 + (arg % 10)) * minute;
    service.spec = { ...service.spec, maintenance: [{ from: world.now, to }] };
  },
  /** A person approves whatever is proposed. */
  approve: (stage, service) => {
    const id = stage.operator.records.histories.get(service.spec.name)?.incident?.proposal?.id;
    if (id) order(stage, service, (orders) => ({ ...orders, approved: [...orders.approved, id] }));
  },
  /** A person gives an incident back. */
  resume: (stage, service) => {
    const incident = stage.operator.records.histories.get(service.spec.name)?.incident;
    if (!incident) return;
    const id = `${incident.id}/${incident.resumed + 1}`;
    order(stage, service, (orders) => ({ ...orders, resumed: [...orders.resumed, id] }));
  },
  /** A dependant has a hook from now on, and answers what it was asked. */
  answer: ({ operator }, service, arg) => {
    const { answers, notices } = operator.records;
    answers.set(service.spec.name, answers.get(service.spec.name) ?? []);
    for (const { id, to } of notices) {
      if (to !== service.spec.name) continue;
      const asker = id.slice(0, id.indexOf('#'));
      const given = answers.get(asker) ?? [];
      answers.set(asker, [...given, { notice: id, answer: arg % 3 === 0 ? 'refused' : 'ready' }]);
    }
  },
  /** Somebody edits the checks: wrong, and the next time right. */
  editChecks: ({ world }, service) => {
    service.editedAt = world.now;
    const definition = `edit ${++service.edits}`;
    const checks = service.spec.checks.map((check) => ({ ...check, definition }));
    service.spec = { ...service.spec, checks };
  },
  /** Somebody deletes the workload. */
  deleteTarget: (_stage, service) => demolish(service),
  /** Somebody makes it again, as it was or well. */
  recreateTarget: (stage, service, arg) => {
    if (service.isThere) return;
    if (arg % 2 === 0) service.curse = undefined;
    remake(stage, service);
  },
  /** Deleted and made again before anybody could look. */
  replaceTarget: (stage, service) => remake(stage, service),
  /** The spec names another workload. */
  retarget: (stage, service) => {
    service.target++;
    service.curse = undefined;
    remake(stage, service);
  },
  /** The spec can't be followed, until it can. */
  spoilSpec: (_stage, service) => {
    service.isUnderstood = false;
  },
  mendSpec: (_stage, service) => {
    service.isUnderstood = true;
  },
  /** The namespace goes, with all that is in it. */
  removeNamespace: ({ world, operator, referee }, { spec }) => {
    for (const [name, service] of world.services) {
      if (namespaceOf(name) !== namespaceOf(spec.name)) continue;
      demolish(service);
      service.isDescribed = false;
      operator.records.histories.delete(name);
      referee.gone(name);
    }
  },
  restoreNamespace: (stage, { spec }) => {
    for (const [name, service] of stage.world.services) {
      if (namespaceOf(name) !== namespaceOf(spec.name) || service.isDescribed) continue;
      service.isDescribed = true;
      service.curse = undefined;
      // By its uid it is another one: no incident of it has an older one's id.
      const incidents = Math.floor(stage.world.now / 1000);
      stage.operator.records.histories.set(name, { ...freshHistory(stage.world.now), incidents });
      remake(stage, service);
    }
  },
  /** A node is deleted, and with it what ran there; or a new one comes. */
  removeNode: ({ world }, _service, arg) => {
    if (world.nodes.length < 2) return;
    const [gone] = world.nodes.splice(arg % world.nodes.length, 1);
    for (const service of world.services.values())
      service.instances = service.instances.filter(({ node }) => node !== gone?.name);
  },
  addNode: ({ world }) => {
    world.nodes.push({ name: `n${world.now}`, state: 'up', since: world.now });
  },
  /** Somebody sets a quota. */
  quota: (_stage, service, arg) => {
    service.quota = 1 + (arg % 100);
  },
  /** A PodDisruptionBudget refuses what nobody could have known, until it does not. */
  protect: (_stage, service) => {
    service.evictable = 0;
  },
  /** Of several it lets one go. */
  protectOthers: (_stage, service) => {
    service.evictable = 1;
  },
  unprotect: (_stage, service) => {
    service.evictable = Number.POSITIVE_INFINITY;
  },
  /** Somebody restarts all of it, as `kubectl rollout restart` does. */
  restart: ({ world, operator, referee }, service) => {
    const history = operator.records.histories.get(service.spec.name);
    rollOut(service, { at: world.now, by: 'somebody', what: 'template' });
    if (history) referee.foreign(world, service, history);
  },
  /** Somebody sets the replicas. */
  replicas: ({ world }, service, arg) => {
    service.desired = 1 + (arg % 4);
    service.generation++;
    service.foreignWrite ??= { at: world.now, by: 'somebody', what: 'replicas' };
  },
} satisfies Record<string, Event>;

/** The name of an event. */
export type EventName = keyof typeof table;

/** All of them. */
export const eventNames = Object.keys(table) as EventName[];

/** Lets an event happen. */
export function happen(stage: Stage, service: SimService, name: EventName, arg: number): void {
  const event: Event = table[name];
  event(stage, service, arg);
}

function write({ world, operator, referee }: Stage, service: SimService, revision: string): void {
  const history = operator.records.histories.get(service.spec.name);
  deploy(service, revision, { at: world.now, by: 'somebody', what: 'template' });
  if (history) referee.foreign(world, service, history);
}

function remake({ world, operator, referee }: Stage, service: SimService): void {
  const history = operator.records.histories.get(service.spec.name);
  rebuild(service, { at: world.now, by: 'somebody', what: 'template' });
  if (history) referee.foreign(world, service, history);
}

function setWay(world: World, isCutOff: boolean): void {
  if (world.isCutOff === isCutOff) return;
  world.isCutOff = isCutOff;
  // Two answers by half in a row, from two changes of the way, would be what a hang looks like.
  if (world.now - world.wayChangedAt > minute) world.wayTornAt = world.now;
  world.wayChangedAt = world.now;
}

function setNode(world: World, arg: number, state: World['nodes'][number]['state']): void {
  const node = world.nodes[arg % world.nodes.length];
  if (!node || node.state === state) return;
  node.state = state;
  node.since = world.now;
}

function order({ operator }: Stage, { spec }: SimService, change: (orders: Orders) => Orders): void {
  const { orders } = operator.records;
  orders.set(spec.name, change(orders.get(spec.name) ?? { approved: [], resumed: [] }));
}
