/** The postgres of this instance as a process that is started, stopped, promoted and configured; and what was seen of it since it runs. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Postgres } from '../brain/instance.ts';
import type { SyncSet } from '../brain/record.ts';
import type { Database, Sight } from '../postgres/database.ts';
import { type GuardControl, type Order, SILENCE, uptime } from '../postgres/guard-control.ts';
import { cloneFrom, INITDB, rewindTo } from '../postgres/jobs.ts';
import { synchronousNames } from '../postgres/parameters.ts';
import type { PromiseFile } from './promise-file.ts';
import { type Address, connectionTo, readPasswords, writePasswordFile } from './roles.ts';

/** What it is moved with. */
export interface ProcessMeans {
  readonly name: string;
  readonly guard: GuardControl;
  readonly database: Database;
  readonly promise: PromiseFile;
  /** What the guard, the brain and postgres share. */
  readonly sharedFolder: string;
  readonly secretsFolder: string;
  readonly addressOf: (instance: string) => Address;
  /** What people want in postgresql.conf. */
  readonly parameters: () => Readonly<Record<string, string>>;
}

/** A replica that is further behind than that is not led to. */
const MOST_LAG = 64 * 1024 * 1024;
/** How long a replica may be without a stream from a primary that is well, before its log is looked upon as another's. */
const STREAMLESS = 12_000;
/** For how long one counts as there that has just been seen: a stream that was ended for a new set is back in a moment. */
const STREAMED = 6000;

export class PostgresProcess {
  readonly #means: ProcessMeans;
  #is: 'stopped' | 'silent' | 'standby' | 'primary' = 'silent';
  #isMarkedStandby = false;
  #sight: Sight | undefined;
  #probedAt: number | undefined;
  #startingSince: number | undefined;
  /** It was seen as primary since it was started. */
  #isPrimary = false;
  #died = false;
  #hasCheckpoint = false;
  #streamlessSince: number | undefined;
  #streamed: { readonly at: number; readonly epoch: number } | undefined;
  #isTurnedAway = false;
  #rewoundFor: number | undefined;
  #target: SyncSet | undefined;
  #applied: SyncSet | undefined;
  #settled = false;
  #confirmed = false;
  #isConfirming = false;

  constructor(means: ProcessMeans) {
    this.#means = means;
  }

  /** `silent`: it runs, and gives no answer. */
  get is(): 'stopped' | 'silent' | 'standby' | 'primary' {
    return this.#is;
  }

  get sight(): Sight | undefined {
    return this.#sight;
  }

  get confirmed(): boolean {
    return this.#confirmed;
  }

  get hasCheckpoint(): boolean {
    return this.#hasCheckpoint;
  }

  /** As a standby whose promotion, if there was one, has not ended. */
  get isMarkedStandby(): boolean {
    return this.#isMarkedStandby;
  }

  /** Whether a standby may be led to. */
  get isNear(): boolean {
    return this.#is === 'standby' && (this.#sight?.lag ?? 0) < MOST_LAG;
  }

  /** The epoch whose holder it is, as primary, or receives from. */
  streams(now: number): number | undefined {
    const { disk } = this.#means.promise;
    if (this.#is === 'primary') return disk.led === disk.promised ? disk.led : undefined;
    const { at = Number.NEGATIVE_INFINITY, epoch } = this.#streamed ?? {};
    const isThere = this.isNear && disk.follows !== undefined && epoch === disk.promised;
    return isThere && now - at < STREAMED ? epoch : undefined;
  }

  /** `isHolderWell`: the primary that it follows has been heard of lately. */
  facts(now: number, isHolderWell: boolean): Postgres {
    const sight = this.#sight;
    const is = this.#is === 'silent' ? (this.#isMarkedStandby ? 'standby' : 'primary') : this.#is;
    const streamlessFor = this.#streamlessSince === undefined ? 0 : now - this.#streamlessSince;
    // Whoever is well and gives no stream for so long has another log. If it has not, a rewind finds nothing to do.
    if (isHolderWell && streamlessFor > STREAMLESS) this.#isTurnedAway = true;
    return {
      is,
      receives: is === 'standby' && (sight?.receives ?? true),
      lsn: sight?.lsn,
      timeline: is === 'primary' && this.#hasCheckpoint ? sight?.timeline : undefined,
      probedAt: this.#probedAt,
      startingSince: this.#startingSince,
      died: this.#died,
      applied: this.#applied,
      settled: this.#settled,
      confirmed: this.#confirmed,
      turnedAway: this.#isTurnedAway,
    };
  }

  /** At the guard, at postgres, and at the disk. */
  async look(): Promise<void> {
    const { guard, database, promise } = this.#means;
    const state = await guard.state();
    const now = await uptime();
    this.#isMarkedStandby = await database.isMarkedStandby();
    if (state && !state.isRunning) return this.#sawItStopped();
    this.#sight = state && now - state.saidAt < SILENCE ? await database.look() : undefined;
    const sight = this.#sight;
    this.#is = sight ? (sight.inRecovery ? 'standby' : 'primary') : 'silent';
    if (sight) this.#startingSince = undefined;
    if (this.#is === 'primary') await this.#sawPrimary(now);
    const isFollowing = this.#is === 'standby' && promise.disk.follows !== undefined;
    if (isFollowing && sight?.streams) {
      this.#streamed = { at: now, epoch: promise.disk.promised };
      this.#isTurnedAway = false;
    }
    if (!isFollowing || sight?.streams) this.#streamlessSince = undefined;
    else this.#streamlessSince ??= now;
  }

  async #sawPrimary(now: number): Promise<void> {
    this.#isPrimary = true;
    const isWritten = await this.#means.database.probe(2000).then(
      () => true,
      () => false,
    );
    if (isWritten) this.#probedAt = now;
    void this.#confirm();
  }

  #sawItStopped(): void {
    if (this.#isPrimary) this.#died = true;
    this.#isPrimary = false;
    this.#is = 'stopped';
    this.#sight = undefined;
    this.#target = undefined;
    this.#applied = undefined;
    this.#probedAt = undefined;
    this.#hasCheckpoint = false;
    this.#settled = false;
    this.#confirmed = false;
  }

  async order(what: Exclude<Order, 'run'>): Promise<void> {
    if (this.#is !== 'stopped') await this.#means.guard.order(what);
  }

  async startPrimary(): Promise<void> {
    this.#startingSince = await uptime();
    this.#died = false;
    await this.#start(undefined);
    this.#applied = this.#set;
  }

  /** Without somebody to follow it says how far it is, and receives nothing. */
  async startStandby(holder: string | undefined): Promise<void> {
    await this.#means.database.markStandby();
    await this.#start(holder);
  }

  async #start(holder: string | undefined): Promise<void> {
    await this.configure(holder);
    await this.#means.guard.order('run');
    const until = (await uptime()) + 10_000;
    do {
      await pause(100);
      await this.look();
    } while (this.#is !== 'primary' && this.#is !== 'standby' && (await uptime()) < until);
  }

  /** @returns Whether no process of it is left. */
  async untilStopped(): Promise<boolean> {
    const until = (await uptime()) + 20_000;
    do {
      await pause(50);
      await this.look();
    } while (this.#is !== 'stopped' && (await uptime()) < until);
    return this.#is === 'stopped';
  }

  /** The guard has its deadline before. */
  async promote(): Promise<void> {
    const { database } = this.#means;
    await this.configure(undefined);
    await database.settle(this.#synchronous);
    await database.promote();
    this.#applied = this.#set;
    this.#died = false;
    await this.checkpoint();
  }

  /** From then on pg_rewind, and whoever asks for the timeline, is told the truth. */
  async checkpoint(): Promise<void> {
    await this.#means.database.checkpoint();
    this.#hasCheckpoint = true;
    await this.look();
  }

  /** Resolves once nothing can be received any more. */
  async cut(): Promise<void> {
    await this.configure(undefined);
    if (this.#is === 'standby') await this.#means.database.untilNothingComes();
    await this.look();
  }

  /** Until no process goes by another set, nothing counts. */
  async apply(set: SyncSet): Promise<void> {
    const { database } = this.#means;
    this.#target = set;
    this.#applied = undefined;
    this.#confirmed = false;
    await this.configure(undefined);
    await database.settle(this.#synchronous);
    await database.restartSenders();
    this.#applied = set;
    void this.#confirm();
  }

  /** A wait for replicas may last as long as they are away. */
  async #confirm(): Promise<void> {
    if (this.#isConfirming || this.#applied === undefined || (this.#settled && this.#confirmed)) return;
    this.#isConfirming = true;
    const applied = this.#applied;
    const isDone = await this.#means.database.confirm(10_000).finally(() => {
      this.#isConfirming = false;
    });
    // What was asked of one postgres, or by one set, says nothing of another.
    if (!isDone || this.#applied !== applied) return;
    this.#settled = true;
    this.#confirmed = true;
  }

  /** Whom it follows, and whom commits wait for; taken up at once where it runs. */
  async configure(holder: string | undefined): Promise<void> {
    const { database, name, sharedFolder, addressOf, parameters } = this.#means;
    await this.#writePasswords();
    const isNew = await database.configure({
      parameters: parameters(),
      synchronous: this.#synchronous,
      primaryConnection: holder ? connectionTo(addressOf(holder), name, this.#passwordFile) : undefined,
      socketFolder: sharedFolder,
      port: addressOf(name).port,
    });
    if (isNew && (this.#is === 'standby' || this.#is === 'primary')) await database.reload();
  }

  async initialise(): Promise<void> {
    await this.#job(INITDB);
  }

  /** With postgres stopped. A rewind that has changed nothing is not tried again: then it is a clone. */
  async copy(way: 'rewind' | 'clone', holder: string, epoch: number): Promise<void> {
    await this.#writePasswords();
    const connection = connectionTo(this.#means.addressOf(holder), this.#means.name, this.#passwordFile);
    if (way === 'rewind' && this.#rewoundFor !== epoch) {
      this.#rewoundFor = epoch;
      // Recovery in the course of it goes by the configuration that is there, which may be of another place.
      await this.configure(undefined);
      await this.#job(rewindTo(connection));
    } else {
      await this.#job(cloneFrom(connection));
    }
    this.#streamlessSince = undefined;
    this.#isTurnedAway = false;
  }

  /** @throws With the end of what it has said. */
  async #job(script: string): Promise<void> {
    const { guard } = this.#means;
    const number = await guard.startJob(script);
    for (;;) {
      const state = await guard.state();
      if (state && state.job >= number && state.jobResult !== undefined) {
        if (state.jobResult === 0) return;
        throw new Error(`a job ended with ${state.jobResult}: ${await guard.jobLog()}`);
      }
      await pause(100);
    }
  }

  /** What commits are to wait for: what it was told to go by since it runs, or what was written down last. */
  get #set(): SyncSet | undefined {
    return this.#target ?? this.#means.promise.disk.sets.at(-1);
  }

  get #synchronous(): string {
    const { names, k } = this.#set ?? { names: [], k: 0 };
    return synchronousNames(k, names);
  }

  async #writePasswords(): Promise<void> {
    await writePasswordFile(this.#passwordFile, await readPasswords(this.#means.secretsFolder));
  }

  get #passwordFile(): string {
    return join(this.#means.sharedFolder, 'pgpass');
  }
}
