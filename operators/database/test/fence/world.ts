/**
 * A cluster as far as it matters who may write: instances, the API server, the coordinator, what is under way between them, and what
 * clients were shown. It does by small steps what the decisions say, and knows nothing of how these are made; whatever clients must never
 * see is written down as a violation.
 */
import type { CoordinatorView } from '../../src/brain/coordinator.ts';
import { EMPTY_DISK, type InstanceView } from '../../src/brain/instance.ts';
import type { ClusterRecord } from '../../src/brain/record.ts';
import type { Times } from '../../src/brain/times.ts';
import type { Decisions } from './decisions.ts';
import {
  acknowledged,
  type Coordinator,
  copyMachine,
  isLive,
  isPrefix,
  letsIn,
  type Machine,
  newMachine,
  rewound,
  STOPPED,
  viewOf,
  type Write,
} from './machine.ts';

export interface Setting {
  readonly names: readonly string[];
  readonly times: Times;
  readonly durability: 'required' | 'preferred';
  readonly synchronous: number;
}

export const COORDINATOR = 'coordinator';
export const API = 'api';

export class World {
  readonly setting: Setting;
  readonly decisions: Decisions;
  machines: Map<string, Machine>;
  api: { record: ClusterRecord; version: number; isUp: boolean };
  coordinator: Coordinator;
  /** `a>b`: nothing gets from a to b. */
  cuts: ReadonlySet<string> = new Set();
  /** Epochs for which anybody was asked to freeze. */
  asked: readonly number[] = [];
  /** What clients were shown, and what was acknowledged to them: one history. */
  shown: readonly number[] = [];
  violations: readonly string[] = [];
  /** A clock has stood still, or run too slowly: who reads of an old primary may be shown what was true before. */
  isLied = false;
  /** The data of somebody is gone for good. */
  hasLost = false;
  /** Writes that nobody waits for. */
  ghosts: readonly Write[] = [];
  written = 0;
  sessions = 0;

  constructor(setting: Setting, decisions: Decisions, record: ClusterRecord) {
    this.setting = setting;
    this.decisions = decisions;
    // Clocks that run at one speed, and agree on nothing else.
    this.machines = new Map(setting.names.map((name, i) => [name, newMachine(name, 100 + i, setting.times)]));
    this.api = { record, version: 1, isUp: true };
    this.coordinator = {
      clock: 102,
      read: undefined,
      sighting: undefined,
      answers: [],
      write: undefined,
      switchTo: undefined,
    };
  }

  copy(): World {
    const copy: World = Object.create(World.prototype);
    Object.assign(copy, this);
    copy.machines = new Map([...this.machines].map(([name, machine]) => [name, copyMachine(machine)]));
    copy.api = { ...this.api };
    copy.coordinator = { ...this.coordinator };
    return copy;
  }

  machine(name: string): Machine {
    const machine = this.machines.get(name);
    if (!machine) throw new Error(`there is no ${name}`);
    return machine;
  }

  view(machine: Machine): InstanceView {
    return viewOf(machine, this.setting.times);
  }

  violate(what: string): void {
    this.violations = [...this.violations, what];
  }

  reaches(a: string, b: string): boolean {
    return !this.cuts.has(`${a}>${b}`) && !this.cuts.has(`${b}>${a}`);
  }

  reachesApi(name: string): boolean {
    return this.api.isUp && this.reaches(name, API);
  }

  /** Time passes, but not on machines that stand still, nor by clocks that do. */
  tick(still: readonly string[] = []): void {
    if (!still.includes(COORDINATOR)) this.coordinator.clock += 1;
    else this.isLied = true;
    for (const machine of this.machines.values()) {
      if (machine.isPaused || still.includes(machine.name)) {
        this.isLied = true;
        continue;
      }
      machine.clock += 1;
      const { postgres, guardUntil, clock } = machine;
      if (postgres.is === 'primary' && clock >= guardUntil) this.stop(machine, true);
    }
  }

  stop(machine: Machine, died: boolean): void {
    const { applied, session, startingSince } = machine.postgres;
    machine.postgres = { ...STOPPED, applied, session, startingSince, died };
  }

  /** Clients are shown that much of its log, or have it acknowledged. */
  show(machine: Machine, length: number): void {
    const log = machine.log.slice(0, length);
    if (isPrefix(this.shown, log)) this.shown = log;
    else if (!isPrefix(log, this.shown)) {
      this.violate(`lost: ${machine.name} shows [${log}], and clients have seen [${this.shown}]`);
    }
  }

  /** A primary of an epoch that is over must be served from by nobody, as long as clocks are honest. */
  judge(): void {
    if (this.isLied) return;
    const open = [...this.machines.values()].filter(({ postgres }) => postgres.is === 'primary' && postgres.isOpen);
    if (open.length > 1) this.violate(`two primaries: ${open.map(({ name }) => name)}`);
  }

  /** One at a time: the next is sent when it is known what has become of the last, or nobody waits for that any more. */
  send(from: Machine | Coordinator, record: ClusterRecord, then: Write['then']): void {
    if (!from.read || from.write) return;
    from.write = { version: from.read.version, record, sentAt: from.clock, then };
  }

  /** A write arrives at the API server, and its sender hears of that. */
  deliver(from: Machine | Coordinator, name: string): void {
    const { write } = from;
    if (!write || !this.reachesApi(name)) return;
    from.write = undefined;
    const isDone = this.arrive(write);
    from.read = { record: this.api.record, version: this.api.version };
    if (!isDone || write.then !== 'lease' || !('memory' in from)) return;
    from.memory = { ...from.memory, lease: { epoch: write.record.epoch, sentAt: write.sentAt }, releasedAt: undefined };
  }

  /** Nobody waits for it any more; it may arrive yet. */
  giveUp(from: Machine | Coordinator): void {
    if (from.write) this.ghosts = [...this.ghosts, from.write].slice(-2);
    from.write = undefined;
  }

  arriveLate(): void {
    const [first, ...rest] = this.ghosts;
    if (!first || !this.api.isUp) return;
    this.ghosts = rest;
    this.arrive(first);
  }

  arrive({ version, record }: Write): boolean {
    if (version !== this.api.version) return false;
    this.api = { ...this.api, record, version: version + 1 };
    return true;
  }

  read(machine: Machine): void {
    if (this.isThinking(machine) && this.reachesApi(machine.name)) {
      machine.read = { record: this.api.record, version: this.api.version };
    }
  }

  isThinking({ isPaused, brain }: Machine): boolean {
    return !isPaused && brain === 'up';
  }

  /** The brain's memory goes, and what it has sent may arrive yet. */
  forget(machine: Machine): void {
    this.giveUp(machine);
    machine.read = undefined;
    machine.asks = {};
    machine.task = undefined;
    machine.memory = this.decisions.freshMemory(machine.disk, machine.clock, this.setting.times);
    machine.postgres = { ...machine.postgres, died: false, startingSince: undefined };
  }

  loseVolume(machine: Machine): void {
    this.hasLost = true;
    this.stop(machine, false);
    machine.log = [];
    machine.history = [];
    machine.disk = EMPTY_DISK;
    machine.postgres.applied = undefined;
    this.forget(machine);
  }

  /** It receives from whom it is set to follow. */
  connect(standby: Machine): void {
    const { disk, postgres } = standby;
    const primary = disk.follows === undefined ? undefined : this.machine(disk.follows);
    if (postgres.is !== 'standby' || !isLive(standby) || disk.data !== 'whole') return;
    if (!primary || !isLive(primary) || primary.postgres.is !== 'primary' || !this.reaches(standby.name, primary.name))
      return;
    const { slotOf } = this.decisions;
    if (slotOf(standby.name, disk.promised) !== slotOf(standby.name, primary.disk.led ?? 0)) return;
    const session = { name: primary.name, session: primary.postgres.session };
    if (postgres.from?.name === session.name && postgres.from.session === session.session) return;
    if (!letsIn(primary, standby)) postgres.turnedAway = true;
    else postgres.from = session;
  }

  /** It has on disk one more entry, or all. What it has it says, and that may arrive much later. */
  stream(standby: Machine, most: number): void {
    const primary = this.primaryOf(standby);
    if (!primary || !isLive(primary) || !isLive(standby) || !this.reaches(standby.name, primary.name)) return;
    if (!isPrefix(standby.log, primary.log)) {
      this.violate(`corrupt: ${standby.name} [${standby.log}] receives from ${primary.name} [${primary.log}]`);
      return;
    }
    standby.log = primary.log.slice(0, Math.min(primary.log.length, standby.log.length + most));
    standby.history = primary.history.filter(({ start }, at) => at === 0 || start < standby.log.length);
    primary.postgres.sent = { ...primary.postgres.sent, [standby.name]: standby.log.length };
  }

  hear(primary: Machine): void {
    if (isLive(primary) && primary.postgres.is === 'primary') primary.postgres.acks = primary.postgres.sent;
  }

  primaryOf({ postgres: { from } }: Machine): Machine | undefined {
    const primary = from && this.machine(from.name);
    return primary?.postgres.is === 'primary' && primary.postgres.session === from?.session ? primary : undefined;
  }

  write(machine: Machine): void {
    if (!isLive(machine) || !machine.postgres.isOpen) return;
    this.written += 1;
    machine.log = [...machine.log, this.written];
  }

  /** What was waited for is acknowledged, and shown. */
  commit(machine: Machine): void {
    const { postgres } = machine;
    if (!isLive(machine) || postgres.is !== 'primary' || !postgres.isOpen) return;
    postgres.visible = Math.max(postgres.visible, acknowledged(machine));
    this.show(machine, postgres.visible);
  }

  copyOf(machine: Machine, from: string, epoch: number, way: 'rewind' | 'clone'): boolean {
    const primary = this.machine(from);
    if (!isLive(primary) || primary.postgres.is !== 'primary' || primary.disk.led !== epoch) return false;
    if (!this.reaches(machine.name, from)) return false;
    const { log, history } = primary;
    Object.assign(machine, way === 'clone' ? { log, history } : (rewound(primary, machine) ?? {}));
    return true;
  }

  coordinatorView(isImpatient: boolean): CoordinatorView | undefined {
    const { clock, read, sighting, answers, switchTo } = this.coordinator;
    if (!read) return undefined;
    const { record } = read;
    const { names, times, durability, synchronous } = this.setting;
    const asked = [...this.machines.values()].filter(
      (machine) => this.isThinking(machine) && this.reaches(COORDINATOR, machine.name),
    );
    const looks = new Map(
      asked.map((machine) => {
        const { name, clock: now, memory, disk, postgres } = machine;
        const primary = this.primaryOf(machine);
        const isIn = postgres.is === 'primary' ? disk.led === disk.promised : primary && disk.follows === primary.name;
        const streams = isIn ? disk.promised : undefined;
        const stuck = postgres.is === 'primary' && postgres.isOpen && acknowledged(machine) < machine.log.length;
        return [name, { streams, grants: (memory.grantedUntil ?? now) > now, stuck: stuck && isImpatient }];
      }),
    );
    const wishes = { instances: names, durability, synchronous, switchTo, fence: false };
    return { now: clock, times, record, sighting, answers, looks, wishes };
  }
}
