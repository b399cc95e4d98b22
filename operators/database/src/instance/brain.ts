/**
 * The brain of one instance. Three loops, none of which waits for another: it looks at postgres; it reads the record and renews the lease;
 * it does what is its duty. What that is the functions of ../brain say, which are pure: here is nothing but hands and eyes.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type Duty, duty, finished } from '../brain/duty.ts';
import { freshMemory, type InstanceView, type Memory } from '../brain/instance.ts';
import { grantRequest, grantsAfter, renewal, runUntil } from '../brain/lease.ts';
import type { FreezeAnswer, FreezeRequest, GrantAnswer, GrantRequest } from '../brain/messages.ts';
import { freeze, grant } from '../brain/promise.ts';
import type { ClusterRecord } from '../brain/record.ts';
import { opens, syncStep } from '../brain/sync.ts';
import { TIMES } from '../brain/times.ts';
import type { Identity } from '../identity.ts';
import { uptime } from '../postgres/guard-control.ts';
import { describeDuty } from './describe-duty.ts';
import type { LeaseStore } from './lease-store.ts';
import { askGrant, type InstanceReport } from './peers.ts';
import { PostgresProcess, type ProcessMeans } from './postgres-process.ts';
import { digestOf, keepRoles, readPasswords, readToken } from './roles.ts';

/** What a brain works with. */
export interface Means extends Omit<ProcessMeans, 'name' | 'parameters'> {
  readonly identity: Identity;
  readonly store: LeaseStore;
  readonly log: (message: string, fields?: object) => void;
}

/** Between two looks of each loop; and where something was moved, and more may be to do. */
const TICK = 500;
const SOON = 50;
/** How long an answer to a freeze may take: who asks waits a little longer. */
const FREEZING = 1500;

export class Brain {
  readonly #means: Means;
  readonly #postgres: PostgresProcess;
  #record: ClusterRecord | undefined;
  #recordChangedAt = 0;
  #parameters: Readonly<Record<string, string>> = {};
  #memory: Memory;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #passwords = '';
  #doing = '';
  /** Steps and freezes, one at a time. */
  #busy = false;

  constructor(means: Means) {
    this.#means = means;
    this.#postgres = new PostgresProcess({ ...means, name: this.#name, parameters: () => this.#parameters });
    this.#memory = freshMemory(means.promise.disk, 0, TIMES);
  }

  async run(): Promise<void> {
    this.#memory = freshMemory(this.#means.promise.disk, await uptime(), TIMES);
    await this.#postgres.look();
    await Promise.all([
      this.#forEver(() => this.#postgres.look()),
      this.#forEver(() => this.#pulse()),
      this.#forEver(() => this.#work()),
    ]);
  }

  /** Whether clients may be led to it. */
  async isReady(): Promise<boolean> {
    if (this.#postgres.is === 'primary') return opens(await this.#view());
    return this.#postgres.isNear && this.#postgres.sight?.streams === true;
  }

  async report(): Promise<InstanceReport> {
    const { is, sight } = this.#postgres;
    const roles = { primary: 'Primary', standby: 'Replica', stopped: 'Unknown', silent: 'Unknown' } as const;
    const { disk } = this.#means.promise;
    const now = await uptime();
    const streams = is === 'primary' && disk.led === disk.promised ? disk.led : this.#postgres.streams(now);
    return {
      role: roles[is],
      ...(sight ? { timeline: sight.timeline, systemId: sight.systemId } : {}),
      ...(sight && is === 'standby' ? { lag: sight.lag } : {}),
      ...(streams === undefined ? {} : { streams }),
      grants: (this.#memory.grantedUntil ?? 0) > now,
      doing: this.#doing,
    };
  }

  async freeze(request: FreezeRequest): Promise<FreezeAnswer> {
    const { epoch } = request;
    this.#memory = { ...this.#memory, asked: Math.max(this.#memory.asked, epoch) };
    const refused = { answer: 'refused', epoch, from: this.#name, why: 'busy' } as const;
    if (this.#busy) return refused;
    this.#busy = true;
    try {
      const until = (await uptime()) + FREEZING;
      while ((await uptime()) < until) {
        await this.#postgres.look();
        const step = freeze(await this.#view(), request);
        if (step.do === 'answer') return step.answer;
        if (step.do === 'promise') await this.#means.promise.write(step.disk);
        if (step.do === 'cut') await this.#postgres.cut();
        if (step.do === 'stop') {
          await this.#postgres.order('immediate');
          await pause(100);
        }
      }
      return refused;
    } finally {
      this.#busy = false;
    }
  }

  async grant(request: GrantRequest): Promise<GrantAnswer> {
    const { answer, disk } = grant(await this.#view(), request);
    if (!answer.granted) return answer;
    // Remembered before it is sent, and longer than whoever asked can count on it.
    this.#memory = { ...this.#memory, grantedUntil: (await uptime()) + TIMES.wait };
    await this.#means.promise.write(disk);
    return answer;
  }

  get #name(): string {
    return this.#means.identity.instance;
  }

  async #forEver(turn: () => Promise<unknown>): Promise<never> {
    for (;;) {
      const hasMoved = await turn().catch((error: Error) => this.#say(`failed: ${error.message}`));
      await pause(hasMoved === true ? SOON : TICK);
    }
  }

  #say(doing: string): void {
    if (doing === this.#doing) return;
    this.#doing = doing;
    this.#means.log(doing, { epoch: this.#record?.epoch, postgres: this.#postgres.is });
  }

  async #view(): Promise<InstanceView> {
    const now = await uptime();
    return {
      name: this.#name,
      now,
      times: TIMES,
      record: this.#record,
      disk: this.#means.promise.disk,
      memory: this.#memory,
      postgres: this.#postgres.facts(now, now - this.#recordChangedAt < TIMES.wait / 2),
    };
  }

  async #pulse(): Promise<void> {
    const { store } = this.#means;
    const reading = await store.read();
    if (!reading) return await this.#askForGrants();
    this.#parameters = reading.desired?.parameters ?? {};
    await this.#learn(reading.record);
    const sentAt = await uptime();
    if (sentAt - this.#renewedAt < TIMES.renew) return;
    const next = renewal(await this.#view());
    const written = next && (await store.replace(this.#record, next));
    if (!written) return;
    this.#renewedAt = sentAt;
    this.#memory = { ...this.#memory, lease: { epoch: written.epoch, sentAt } };
    await this.#learn(written);
    await this.#extend();
  }

  /** The API server is away: those who acknowledge say whether it may run on. */
  async #askForGrants(): Promise<void> {
    const { addressOf, secretsFolder } = this.#means;
    const sentAt = await uptime();
    if (sentAt - this.#renewedAt < TIMES.renew) return;
    const asked = grantRequest(await this.#view());
    if (!asked) return;
    this.#renewedAt = sentAt;
    const token = await readToken(secretsFolder);
    const asking = asked.to.map(async (other) => {
      const answer = await askGrant(addressOf(other).brain, token, asked.request);
      const view = await this.#view();
      if (answer) this.#memory = { ...this.#memory, grants: grantsAfter(view, answer, sentAt) };
    });
    await Promise.all(asking);
    await this.#extend();
  }

  /** At once, and not when the next step is done: a step may take long. */
  async #extend(): Promise<void> {
    const until = runUntil(await this.#view());
    if (until !== undefined) await this.#means.guard.setDeadline(until);
  }

  async #learn(record: ClusterRecord | undefined): Promise<void> {
    const known = this.#record;
    // An answer that was under way while another one came says what was before.
    if (!record || (known && isOlder(record, known))) return;
    if (JSON.stringify(known) !== JSON.stringify(record)) this.#recordChangedAt = await uptime();
    this.#record = record;
  }

  async #write(next: ClusterRecord): Promise<boolean> {
    const written = await this.#means.store.replace(this.#record, next);
    await this.#learn(written);
    return written !== undefined;
  }

  /** @returns Whether something was done, and something else may be to do. */
  async #work(): Promise<boolean> {
    if (this.#busy) return true;
    this.#busy = true;
    try {
      await this.#postgres.look();
      const what = duty(await this.#view());
      this.#say(describeDuty(what));
      await this.#perform(what);
      if (what.do === 'lead' && this.#postgres.is === 'primary') return await this.#keepSets();
      return !['lead', 'acquire', 'follow', 'hold'].includes(what.do);
    } finally {
      this.#busy = false;
    }
  }

  async #perform(what: Duty): Promise<unknown> {
    const { promise } = this.#means;
    const isCopy = what.do === 'rewind' || what.do === 'clone';
    // Written and synced before anything else of it is done.
    if ('disk' in what && !isCopy) await promise.write(what.disk);
    switch (what.do) {
      case 'stop':
        return await this.#postgres.order('immediate');
      case 'shut-down':
        await this.#postgres.order('fast');
        return await this.#postgres.untilStopped();
      case 'lead':
        return await this.#lead(what.until);
      case 'acquire':
        return;
      case 'release':
        return await this.#release(what.record);
      case 'initialise':
        await this.#postgres.initialise();
        return await promise.write(finished(promise.disk, what));
      case 'promote':
        return await this.#promote(what.until);
      case 'begin':
        await this.#keepPasswords();
        return await this.#write(what.record);
      case 'freeze':
        return await this.#postgres.cut();
      case 'follow':
        return await this.#follow(what.holder);
      case 'rewind':
      case 'clone':
        return await this.#copy(what);
      case 'hold':
        return await this.#hold();
    }
  }

  /** It runs meanwhile, where it may: so it can say how far it is. */
  async #hold(): Promise<void> {
    const { is, hasCheckpoint } = this.#postgres;
    // After a promotion that this brain has not seen to its end.
    if (is === 'primary' && !hasCheckpoint) return await this.#postgres.checkpoint();
    if (is !== 'stopped' || this.#means.promise.disk.data !== 'whole') return;
    await this.#means.guard.setDeadline(undefined);
    await this.#postgres.startStandby(undefined);
  }

  /** Forgotten before it is said: what was sent and not answered may have arrived. */
  async #release(next: ClusterRecord): Promise<void> {
    this.#memory = { ...this.#memory, lease: undefined, grants: new Map(), releasedAt: await uptime() };
    if (await this.#write(next)) return;
    this.#memory = { ...this.#memory, releasedAt: undefined };
    const reading = await this.#means.store.read();
    await this.#learn(reading?.record);
  }

  async #lead(until: number): Promise<void> {
    const postgres = this.#postgres;
    await this.#means.guard.setDeadline(until);
    if (postgres.is === 'primary') {
      if (!postgres.hasCheckpoint) await postgres.checkpoint();
      return;
    }
    if (postgres.isMarkedStandby) {
      // A promotion that was cut short: without it, it would write on in a log that is another's by now.
      if (postgres.is === 'stopped') await postgres.startStandby(undefined);
      return await this.#promote(until);
    }
    if (postgres.is !== 'stopped') return;
    this.#memory = { ...this.#memory, releasedAt: undefined };
    await postgres.startPrimary();
  }

  async #promote(until: number): Promise<void> {
    if (this.#postgres.is !== 'standby') return;
    this.#memory = { ...this.#memory, releasedAt: undefined };
    await this.#means.guard.setDeadline(until);
    await this.#postgres.promote();
  }

  /** @returns Whether the record may have more to say at once. */
  async #keepSets(): Promise<boolean> {
    const step = syncStep(await this.#view());
    if (!step) {
      await this.#keepPasswords();
      return !this.#postgres.confirmed;
    }
    if (step.do === 'note') await this.#means.promise.write(step.disk);
    if (step.do === 'confirm') await this.#write(step.record);
    if (step.do === 'apply') await this.#postgres.apply(step.set);
    return true;
  }

  async #follow(holder: string): Promise<void> {
    await this.#means.guard.setDeadline(undefined);
    if (this.#postgres.is === 'stopped') await this.#postgres.startStandby(holder);
    else if (this.#postgres.is === 'standby') await this.#postgres.configure(holder);
  }

  /** Before what is there is touched it is on disk that it is of no use any more. */
  async #copy(what: Extract<Duty, { do: 'rewind' | 'clone' }>): Promise<void> {
    const postgres = this.#postgres;
    const { promise } = this.#means;
    if (postgres.is !== 'stopped') {
      await postgres.order('fast');
      if (!(await postgres.untilStopped())) return;
    }
    await this.#means.guard.setDeadline(undefined);
    await promise.write(what.disk);
    await postgres.copy(what.do, what.holder, what.epoch);
    await promise.write(finished(promise.disk, what));
  }

  async #keepPasswords(): Promise<void> {
    const { database, identity, secretsFolder } = this.#means;
    const passwords = await readPasswords(secretsFolder);
    const digest = digestOf(passwords);
    if (digest === this.#passwords) return;
    await keepRoles(database, identity, passwords);
    this.#passwords = digest;
  }
}

const isOlder = (a: ClusterRecord, b: ClusterRecord): boolean =>
  a.epoch < b.epoch || (a.epoch === b.epoch && a.renewal < b.renewal);
