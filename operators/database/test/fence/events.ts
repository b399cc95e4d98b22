/** All that may happen in a simulated cluster, each in one small step. What can't happen just now does nothing. */
import { type Duty, finished, type Making } from '../../src/brain/duty.ts';
import type { CoordinatorEvent, Event, MachineEvent, PairEvent } from './event.ts';
import { type Coordinator, isLive, type Machine } from './machine.ts';
import { COORDINATOR, type World } from './world.ts';

export function happen(world: World, event: Event): void {
  switch (event.is) {
    case 'tick':
      world.tick(event.still);
      break;
    case 'cut':
      world.cuts = new Set([...world.cuts, `${event.at}>${event.to}`]);
      break;
    case 'heal':
      world.cuts = new Set();
      break;
    case 'api-down':
    case 'api-up':
      world.api.isUp = event.is === 'api-up';
      break;
    case 'late-write':
      world.arriveLate();
      break;
    case 'switch':
      world.coordinator.switchTo = event.to;
      break;
    case 'freeze':
      freeze(world, world.machine(event.at), event.epoch);
      break;
    case 'ask':
    case 'grant':
    case 'grant-unheard':
      onPair[event.is](world, world.machine(event.at), world.machine(event.to));
      break;
    default:
      if ('at' in event) onMachine[event.is](world, world.machine(event.at));
      else onCoordinator[event.is](world, world.coordinator);
  }
  world.judge();
}

const onMachine: Readonly<Record<MachineEvent, (world: World, machine: Machine) => void>> = {
  read: (world, machine) => world.read(machine),
  act: (world, machine) => act(world, machine, false),
  'half-act': (world, machine) => act(world, machine, true),
  renew,
  sync,
  open: (world, machine) => {
    if (world.isThinking(machine) && world.decisions.opens(world.view(machine))) machine.postgres.isOpen = true;
  },
  deliver: (world, machine) => {
    if (world.isThinking(machine)) world.deliver(machine, machine.name);
  },
  'gives-up': (world, machine) => {
    if (world.isThinking(machine)) world.giveUp(machine);
  },
  connect: (world, machine) => world.connect(machine),
  'stream-one': (world, machine) => world.stream(machine, 1),
  stream: (world, machine) => world.stream(machine, Number.POSITIVE_INFINITY),
  hear: (world, machine) => world.hear(machine),
  write: (world, machine) => world.write(machine),
  commit: (world, machine) => world.commit(machine),
  'postgres-dies': (world, machine) => {
    if (machine.postgres.is !== 'stopped') world.stop(machine, machine.postgres.is === 'primary');
  },
  'brain-crashes': (world, machine) => world.forget(machine),
  'machine-crashes': (world, machine) => {
    machine.isPaused = false;
    machine.brain = 'up';
    world.stop(machine, false);
    world.forget(machine);
  },
  'brain-pauses': (_, machine) => {
    machine.brain = 'paused';
  },
  'postgres-freezes': (_, machine) => {
    if (machine.postgres.is !== 'stopped') machine.postgres.isFrozen = true;
  },
  'machine-pauses': (_, machine) => {
    machine.isPaused = true;
  },
  thaws: (_, machine) => {
    machine.isPaused = false;
    machine.brain = 'up';
    machine.postgres.isFrozen = false;
  },
  'loses-volume': (world, machine) => world.loseVolume(machine),
};

/** A write to its own disk, which is done at once or never. */
function probe(machine: Machine): void {
  if (!isLive(machine) || machine.postgres.is !== 'primary') return;
  machine.postgres.probedAt = machine.clock;
  machine.postgres.startingSince = undefined;
}

function renew(world: World, machine: Machine): void {
  if (!world.isThinking(machine)) return;
  probe(machine);
  const record = world.decisions.renewal(world.view(machine));
  if (record) world.send(machine, record, 'lease');
}

function sync(world: World, machine: Machine): void {
  if (!world.isThinking(machine)) return;
  const step = world.decisions.syncStep(world.view(machine));
  if (step?.do === 'note') machine.disk = step.disk;
  if (step?.do === 'confirm') world.send(machine, step.record, 'nothing');
  if (step?.do !== 'apply' || !isLive(machine)) return;
  machine.postgres.applied = step.set;
  machine.postgres.appliedAt = machine.log.length;
}

/** One step of its duty; or, if it is killed then, only what is written first. */
function act(world: World, machine: Machine, half: boolean): void {
  if (!world.isThinking(machine)) return;
  const step = world.decisions.duty(world.view(machine));
  const { task } = machine;
  const goesOn = step.do === 'clone' || step.do === 'initialise';
  if (!goesOn) machine.task = undefined;
  if (task && goesOn) {
    if (!half) finish(world, machine, task);
    return;
  }
  if ('disk' in step) machine.disk = step.disk;
  if (half) world.forget(machine);
  else (carryOut[step.do] as (world: World, machine: Machine, step: Duty) => void)(world, machine, step);
}

type CarryOut = {
  readonly [K in Duty['do']]: (world: World, machine: Machine, step: Extract<Duty, { do: K }>) => void;
};

const make = (world: World, machine: Machine, step: Making) => {
  world.stop(machine, false);
  machine.task = step;
};

const carryOut: CarryOut = {
  stop: (world, machine) => world.stop(machine, false),
  'shut-down': (world, machine) => {
    if (machine.postgres.isFrozen) return;
    for (const standby of world.machines.values()) {
      if (world.primaryOf(standby) === machine) world.stream(standby, Number.POSITIVE_INFINITY);
    }
    world.stop(machine, false);
  },
  lead: (world, machine, { until }) => lead(world, machine, until),
  promote: (world, machine, { until }) => lead(world, machine, until),
  begin: (world, machine, { record }) => world.send(machine, record, 'nothing'),
  release: (world, machine, { record }) => {
    if (machine.write) return;
    machine.memory = { ...machine.memory, lease: undefined, grants: new Map(), releasedAt: machine.clock };
    world.send(machine, record, 'nothing');
  },
  freeze: (_, machine) => {
    machine.postgres.from = undefined;
  },
  follow: (_, machine, { holder }) => follow(machine, holder),
  initialise: make,
  rewind: make,
  clone: make,
  acquire: () => undefined,
  hold: () => undefined,
};

function lead(world: World, machine: Machine, until: number): void {
  machine.guardUntil = until;
  if (machine.postgres.is === 'primary' || machine.disk.data !== 'whole') return;
  const { applied } = machine.postgres;
  world.stop(machine, false);
  if (machine.isStandbyData) {
    const newest = Math.max(...machine.history.map(({ timeline }) => timeline));
    machine.history = [...machine.history, { timeline: newest + 1, start: machine.log.length }];
    machine.isStandbyData = false;
  }
  // A checkpoint is written whenever it starts; those after the first make no difference here.
  if (machine.log.length <= (machine.disk.lines.at(-1)?.start ?? 0)) {
    world.written += 1;
    machine.log = [...machine.log, world.written];
  }
  world.sessions += 1;
  const length = machine.log.length;
  const { clock, postgres } = machine;
  const startingSince = postgres.startingSince ?? clock;
  const at = { startedAt: length, appliedAt: length, visible: length, startingSince };
  machine.postgres = { ...postgres, is: 'primary', session: world.sessions, applied, ...at };
}

function follow(machine: Machine, holder: string): void {
  const { postgres } = machine;
  machine.isStandbyData = true;
  if (postgres.from && postgres.from.name !== holder) postgres.from = undefined;
  if (postgres.is !== 'stopped') return;
  postgres.is = 'standby';
  postgres.startingSince = undefined;
}

function finish(world: World, machine: Machine, task: Making): void {
  if (task.do === 'initialise') {
    world.written += 1;
    machine.log = [world.written];
    machine.history = [{ timeline: 1, start: 0 }];
    machine.isStandbyData = false;
  } else if (!world.copyOf(machine, task.holder, task.epoch, task.do)) {
    return;
  } else {
    machine.isStandbyData = true;
  }
  machine.disk = finished(machine.disk, task);
  machine.task = undefined;
}

function freeze(world: World, machine: Machine, epoch: number): void {
  if (!world.isThinking(machine) || !world.asked.includes(epoch) || !world.reaches(COORDINATOR, machine.name)) return;
  const step = world.decisions.freeze(world.view(machine), { epoch });
  machine.memory = { ...machine.memory, asked: Math.max(machine.memory.asked, epoch) };
  if (step.do === 'promise') {
    machine.disk = step.disk;
    machine.postgres.startingSince = undefined;
  }
  if (step.do === 'cut') machine.postgres.from = undefined;
  if (step.do === 'stop') world.stop(machine, false);
  if (step.do !== 'answer') return;
  const { coordinator } = world;
  coordinator.answers = [...coordinator.answers.filter(({ from }) => from !== machine.name), step.answer];
}

const onPair: Readonly<Record<PairEvent, (world: World, primary: Machine, standby: Machine) => void>> = {
  ask: (world, primary, standby) => {
    if (!world.isThinking(primary)) return;
    probe(primary);
    const asks = world.decisions.grantRequest(world.view(primary));
    if (!asks?.to.includes(standby.name)) return;
    primary.asks = { ...primary.asks, [standby.name]: { epoch: asks.request.epoch, sentAt: primary.clock } };
  },
  grant: (world, primary, standby) => deliverGrant(world, primary, standby, true),
  'grant-unheard': (world, primary, standby) => deliverGrant(world, primary, standby, false),
};

function deliverGrant(world: World, primary: Machine, standby: Machine, isHeard: boolean): void {
  const { [standby.name]: ask, ...rest } = primary.asks;
  if (!ask || !world.isThinking(standby) || !world.reaches(primary.name, standby.name)) return;
  primary.asks = rest;
  const { answer, disk } = world.decisions.grant(world.view(standby), { epoch: ask.epoch, holder: primary.name });
  standby.disk = disk;
  if (answer.granted) {
    standby.memory = { ...standby.memory, grantedUntil: standby.clock + world.setting.times.wait };
  }
  if (!isHeard || !world.isThinking(primary)) return;
  const grants = world.decisions.grantsAfter(world.view(primary), answer, ask.sentAt);
  primary.memory = { ...primary.memory, grants };
}

const onCoordinator: Readonly<Record<CoordinatorEvent, (world: World, coordinator: Coordinator) => void>> = {
  look: (world, coordinator) => {
    if (!world.reachesApi(COORDINATOR)) return;
    coordinator.read = { record: world.api.record, version: world.api.version };
    coordinator.sighting = world.decisions.sightingAfter(
      { sighting: coordinator.sighting, now: coordinator.clock },
      world.api.record,
    );
  },
  decide: (world, coordinator) => decide(world, coordinator, false),
  'decide-impatient': (world, coordinator) => decide(world, coordinator, true),
  told: (world, coordinator) => world.deliver(coordinator, COORDINATOR),
  'coordinator-gives-up': (world, coordinator) => world.giveUp(coordinator),
  'coordinator-crashes': (world, coordinator) => {
    world.giveUp(coordinator);
    coordinator.read = undefined;
    coordinator.sighting = undefined;
    coordinator.answers = [];
  },
};

function decide(world: World, coordinator: Coordinator, isImpatient: boolean): void {
  const view = world.coordinatorView(isImpatient);
  if (!view) return;
  const step = world.decisions.nextStep(view);
  if (step.do === 'write') world.send(coordinator, step.record, 'nothing');
  const { epoch } = view.record;
  if (step.do === 'ask' && !world.asked.includes(epoch)) world.asked = [...world.asked, epoch];
}
