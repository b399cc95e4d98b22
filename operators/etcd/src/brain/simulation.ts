/**
 * A cluster of etcd as far as its members go, to play histories on: who is in the list, whose pod runs, whose data is there, and what
 * was promised to clients. It knows nothing of how steps are decided; each that breaks a rule is written down as a violation.
 */
import { membersAfter, recoveryAfter } from './record.ts';
import {
  type Cut,
  disturb,
  goOn,
  isWhole,
  loseClaim,
  type Machine,
  objectsOf,
  type Peer,
  pick,
  type Trouble,
  UNTROUBLED,
  wrongsOfSurvivor,
} from './simulated-machine.ts';
import { type PlannedMember, type Position, quorumOf, type Recovery, type Situation } from './situation.ts';
import type { Step } from './step.ts';

const REPLACE_AFTER = 60_000;

export class Simulation {
  readonly violations: string[] = [];
  size: number;
  #template = 0;
  #now = 1_000_000;
  #drawn = 0;
  #leader: string | undefined;
  #formed = false;
  #recovers = false;
  #recovery: Recovery | undefined;
  #written = 0;
  readonly #list: Peer[] = [];
  /** Who voted before one of them began anew, until somebody writes to it. */
  #voted: readonly string[] | undefined;
  readonly #machines = new Map<string, Machine>();
  #plan: readonly PlannedMember[] = [];

  constructor(size: number) {
    this.size = size;
  }

  /** What the operator sees at this moment. */
  look(): Situation {
    const healthy = new Set(this.#answering().map(({ name }) => name));
    const planned = this.#plan.length > 0 ? this.#plan : this.#fromClaims();
    const members = planned.map(({ unhealthySince, unconfirmed, ...rest }) => ({
      ...rest,
      ...(unconfirmed && !(this.#hasQuorum() && this.#isVoter(rest.name)) ? { unconfirmed } : {}),
      ...(healthy.has(rest.name) ? {} : { unhealthySince: unhealthySince ?? this.#now }),
    }));
    const objects = new Map(
      members.map(({ name }) => [name, objectsOf(this.#machines.get(name), this.#template)] as const),
    );
    return {
      size: this.size,
      paused: false,
      recovers: this.#recovers,
      recovery: this.#recovery,
      positions: this.#positions(),
      ...UNTROUBLED,
      replaceAfter: REPLACE_AFTER,
      formed: this.#formed || (this.#plan.length === 0 && planned.length > 0),
      members,
      objects,
      healthy,
      listing: this.#hasQuorum()
        ? { members: this.#list.map((peer) => ({ ...peer })), leader: this.#leader }
        : undefined,
      freshName: `m${this.#drawn}`,
      now: this.#now,
    };
  }

  /** The operator does a step for what it saw, which may be older than what is, and is killed where `cut` says. */
  act(step: Step, seen: Situation, cut: Cut): void {
    if (step.do === 'plan') this.#drawn += 1;
    if (cut === 'before') return;
    this.#judge(step, seen);
    this.#carryOut(step, seen);
    if (cut === 'after') return;
    this.#plan = membersAfter(seen.members, step);
    // A status is written whole.
    this.#recovery = recoveryAfter(seen.recovery, step);
    this.#formed ||= this.#list.length > 0 && this.#hasQuorum();
  }

  happens(trouble: Trouble): void {
    switch (trouble.event) {
      case 'scaled':
        this.size = trouble.size;
        return;
      case 'template-changed':
        this.#template += 1;
        return;
      case 'status-lost':
        if (this.#formed) {
          this.#plan = [];
          this.#recovery = undefined;
        }
        return;
      case 'may-recover':
        this.#recovers = true;
        return;
      case 'time-passes':
        this.#now += trouble.ms;
        return;
      case 'nodes-back':
        this.#mend();
        return;
      case 'leader-elected':
        this.#elect(trouble.which);
        return;
      default:
        disturb(pick([...this.#machines.values()], trouble.which), trouble.event);
    }
  }

  #elect(which: number): void {
    const voters = this.#answering().filter(({ name }) => this.#isVoter(name));
    this.#leader = pick(voters, which)?.id ?? this.#leader;
  }

  /** Kubernetes and etcd go on by themselves: pods start and end, clients write, members catch up. */
  tick(): void {
    this.#now += 1_000;
    for (const [name, machine] of this.#machines) {
      goOn(machine);
      if (machine.forced && machine.pod === 'running') this.#beginAnew(name, machine);
      if (machine.pod === 'absent' && !machine.hasClaim && !this.#isListed(name)) this.#machines.delete(name);
    }
    if (!this.#hasQuorum()) return;
    const answering = this.#answering();
    if (!answering.some(({ id }) => id === this.#leader)) this.#elect(0);
    // Nobody is led to a cluster that is not known to be there yet, nor to a member that may begin anew.
    if (this.#formed && !this.#machinesOf(answering).some(({ forced }) => forced) && !this.#isBeginning()) {
      this.#write(answering);
    }
  }

  /** One has begun anew, and it is not written down yet that this is the end of it. */
  #isBeginning(): boolean {
    return this.#voted !== undefined && this.#recovery !== undefined && this.#recovery.stage !== 'Done';
  }

  /** Whoever is in its list beside it is so no more; what it does not have is lost. */
  #beginAnew(name: string, machine: Machine): void {
    if (this.#list.length === 1 && this.#isVoter(name)) return;
    this.#voted ??= this.voters();
    this.#list.splice(0, Number.POSITIVE_INFINITY, { id: name, name, isLearner: false });
    this.#written = machine.data ?? 0;
    for (const other of this.#machines.values())
      other.leftBehind = other !== machine && other.hasClaim && !other.isGone;
  }

  #positions(): Map<string, Position> {
    if (this.#hasQuorum()) return new Map();
    const serving = [...this.#machines].filter(([name]) => this.#serves(name));
    return new Map(serving.map(([name, { data = 0 }]) => [name, { revision: data, index: data }]));
  }

  #write(answering: readonly Peer[]): void {
    const newest = this.#replicate(answering);
    if (newest < this.#written) this.violations.push(`lost writes: ${newest} of ${this.#written} are there`);
    this.#written += 1;
    this.#voted = undefined;
    for (const machine of this.#machinesOf(answering)) machine.data = this.#written;
  }

  /** Whoever agrees to an entry of etcd's log, a change of the list too, has everything that came before it. */
  #replicate(answering: readonly Peer[]): number {
    const machines = this.#machinesOf(answering);
    const newest = Math.max(...machines.map(({ data = 0 }) => data));
    for (const machine of machines) machine.data = newest;
    return newest;
  }

  #machinesOf(peers: readonly Peer[]): Machine[] {
    return peers.flatMap(({ name }) => this.#machines.get(name) ?? []);
  }

  /** Quorum agrees to a change of the list, or there is none. */
  #changesList(): boolean {
    if (!this.#hasQuorum()) return false;
    this.#replicate(this.#answering());
    return true;
  }

  /** Nothing is broken any more, but for data that is gone. */
  #mend(): void {
    for (const machine of this.#machines.values()) {
      machine.isStranded = machine.isGone;
      machine.hangs = false;
      if (!machine.hasClaim && machine.pod !== 'absent') machine.pod = 'ending';
    }
  }

  voters(): string[] {
    return this.#list.filter(({ isLearner }) => !isLearner).map(({ name }) => name);
  }

  /** Whether the list can ever have quorum again without a person. */
  canRecover(): boolean {
    const voters = this.voters();
    const whole = voters.filter((name) => isWhole(this.#machines.get(name)));
    if (!this.#formed) return [...this.#machines.values()].every(({ isGone }) => !isGone);
    return whole.length >= quorumOf(voters.length);
  }

  /** Names of claims, of members in the list or not. */
  claims(): string[] {
    return [...this.#machines].filter(([, { hasClaim }]) => hasClaim).map(([name]) => name);
  }

  #fromClaims(): PlannedMember[] {
    return this.claims().map((name) => ({ name, state: 'Member', unconfirmed: true }));
  }

  #isListed(name: string): boolean {
    return this.#list.some((peer) => peer.name === name);
  }

  #isVoter(name: string): boolean {
    return this.#list.some((peer) => peer.name === name && !peer.isLearner);
  }

  #serves(name: string): boolean {
    const machine = this.#machines.get(name);
    return machine?.pod === 'running' && !machine.hangs && !machine.isStranded;
  }

  #hasQuorum(): boolean {
    const voters = this.voters();
    return voters.length > 0 && voters.filter((name) => this.#serves(name)).length >= quorumOf(voters.length);
  }

  /** Who is in the list, serves, and knows a leader. */
  #answering(): Peer[] {
    return this.#hasQuorum() ? this.#list.filter(({ name }) => this.#serves(name)) : [];
  }

  /**
   * The rules. Who answers is as it was seen, for it may change at any moment; who is in the list and whose data is there is as it is.
   * What the operator is shown is the simulation's own, not what a mutant makes of it.
   */
  #judge(step: Step, seen: Situation): void {
    const rule = this.#rules[step.do] as ((step: Step, seen: Situation) => readonly string[]) | undefined;
    for (const broken of rule?.(step, seen) ?? []) {
      this.violations.push(`${step.do} ${'name' in step ? step.name : ''}: ${broken}`);
    }
  }

  readonly #rules: ForSteps<readonly string[]> = {
    add: (_, { healthy }) => [
      ...(this.#list.some(({ isLearner }) => isLearner) ? ['there is a learner already'] : []),
      ...(this.voters().every((name) => healthy.has(name)) ? [] : ['a voter gives no answer']),
      ...(this.voters().some((name) => this.#machines.get(name)?.forced) ? ['it would be forgotten'] : []),
    ],
    remove: ({ name }, { healthy }) => {
      const others = this.voters().filter((voter) => voter !== name);
      const isQuorum = others.filter((voter) => healthy.has(voter)).length >= quorumOf(others.length);
      return this.#isVoter(name) && !isQuorum ? ['quorum is not there without it'] : [];
    },
    discard: ({ name, keep }, { listing }) => [
      ...(this.#machines.get(name)?.leftBehind && !keep ? ['a person may want the data of a survivor'] : []),
      ...(this.#isListed(name) ? ['its member is in the list'] : []),
      ...(listing ? [] : ['there is no quorum to say that it is out']),
    ],
    recover: ({ recovery: { stage, survivor } }) => (stage === 'Forcing' ? this.#wrongsOf(survivor) : []),
    start: ({ name, begin, force }, { objects, recovery }) => {
      const getsEmpty = !this.#machines.get(name)?.hasClaim && objects.get(name)?.claim !== true;
      return [
        ...(begin && this.#formed ? ['the cluster has data'] : []),
        ...(getsEmpty && !begin && this.#isVoter(name) ? ['a voter with an empty volume'] : []),
        ...(force ? this.#wrongsOf(name) : []),
        ...(force && recovery?.survivor !== name ? ['it was not written down'] : []),
        ...(force && this.#othersServe(name) ? ['another still serves'] : []),
      ];
    },
    stop: ({ name }, { healthy, listing, objects, recovery }) => {
      const isRecovering = recovery !== undefined && recovery.stage !== 'Done';
      const voters = this.voters();
      const others = voters.filter((voter) => voter !== name && healthy.has(voter));
      const stopsVoter = this.#isVoter(name) && healthy.has(name);
      return [
        ...(stopsVoter && !isRecovering && others.length < Math.min(quorumOf(voters.length), voters.length - 1)
          ? ['quorum is not there without it']
          : []),
        ...(this.#formed && !listing && !isRecovering && objects.get(name)?.pod !== 'failed'
          ? ['nothing is stopped without quorum']
          : []),
      ];
    },
  };

  /** Why the cluster may not go on from this one, alone. */
  #wrongsOf(survivor: string): string[] {
    if (this.#list.length === 1 && this.#isVoter(survivor)) return [];
    const asked = this.#recovers ? [] : ['nobody has asked for it'];
    return [...asked, ...wrongsOfSurvivor(survivor, this.#voted ?? this.voters(), this.#machines)];
  }

  #othersServe(name: string): boolean {
    return this.voters().some((other) => other !== name && this.#serves(other));
  }

  #carryOut(step: Step, seen: Situation): void {
    const effect = this.#effects[step.do] as ((step: Step, seen: Situation) => void) | undefined;
    effect?.(step, seen);
  }

  readonly #effects: ForSteps<void> = {
    start: ({ name, begin, force = false }, seen) => {
      const present = this.#machines.get(name);
      if (present && present.pod !== 'absent') return;
      // Whoever was seen to have a claim is given none.
      const isNew = !present?.hasClaim && seen.objects.get(name)?.claim !== true;
      const { isGone = false, leftBehind = false } = present ?? {};
      const fresh = { pod: 'starting', template: this.#template, hangs: false, forced: force } as const;
      const machine = { ...fresh, isStranded: isGone, isGone, leftBehind };
      const data = isNew ? 0 : present?.data;
      this.#machines.set(name, { ...machine, data, hasClaim: isNew || present?.hasClaim === true });
      if (begin && isNew) this.#list.splice(0, Number.POSITIVE_INFINITY, { id: name, name, isLearner: false });
    },
    stop: ({ name }) => {
      const machine = this.#machines.get(name);
      if (machine) machine.pod = machine.pod === 'failed' ? 'absent' : 'ending';
    },
    discard: ({ name }) => {
      const machine = this.#machines.get(name);
      if (machine) loseClaim(machine);
    },
    add: ({ name }) => {
      if (!this.#isListed(name) && this.#changesList()) this.#list.push({ id: name, name, isLearner: true });
    },
    promote: ({ id }) => {
      const peer = this.#list.find((listed) => listed.id === id);
      if (peer && this.#serves(peer.name) && this.#changesList()) peer.isLearner = false;
    },
    remove: ({ id }) => {
      const at = this.#list.findIndex((listed) => listed.id === id);
      if (at >= 0 && this.#changesList()) this.#list.splice(at, 1);
    },
    'move-leader': ({ to, toId }) => {
      if (this.#serves(to) && this.#isVoter(to)) this.#leader = toId;
    },
  };
}

/** What is to be done for each kind of step that changes something. */
type ForSteps<R> = { readonly [K in Step['do']]?: (step: Extract<Step, { do: K }>, seen: Situation) => R };
