/**
 * Tells people what happens to objects, by Events of events.k8s.io/v1. Whoever records never waits and never fails:
 *
 *   record ──► known series? count it; write the count a moment later, once for many
 *          └─► new? within the object's allowance ──► outbox ──► one write at a time, tried again while the server is away
 */
import { hostname } from 'node:os';
import { type Client, isAlreadyExists, isNotFound, type KubernetesObject } from '@kurator/client';
import { BoundedMap } from '../bounded-map.ts';
import { type Clock, type ClockTimer, systemClock } from '../clock.ts';
import { RuntimeError } from '../error.ts';
import { ReportedEvent } from './event.ts';
import { cutToBytes, eventReference, faultOf, fittingNote, type Happening } from './happening.ts';
import { Outbox } from './internal/outbox.ts';
import { Series, seriesKey } from './internal/series.ts';
import { SpamLimit, type SpamLimitOptions } from './spam-limit.ts';

/** Who reports, and how much at most. */
export interface EventRecorderOptions {
  readonly client: Client;
  /** Who reports, as a qualified name: `example.com/myapp-operator`. */
  readonly reportingController: string;
  /** Which of its replicas; controller and host name unless given. At most 128 bytes. */
  readonly reportingInstance?: string;
  readonly spamLimit?: SpamLimitOptions;
  readonly clock?: Clock;
  /** Called when something can't be told; for a flood of events about one object only once. Must not throw. */
  readonly onTrouble?: (what: string, error?: unknown) => void;
}

/** Counts since the beginning. */
export interface EventStatistics {
  /** Events that were made on the server. */
  readonly created: number;
  /** Writes of a higher count to one of them. */
  readonly updated: number;
  /** Happenings that were never told: too many about one object, or too many waiting. */
  readonly dropped: number;
  /** Those that the server refused, or that it could not be reached for. */
  readonly failed: number;
  /** Those that were no proper happening. */
  readonly invalid: number;
}

/** Tells people, through the API server, what happened to an object. Never blocks and never fails. */
export interface EventRecorder {
  /** Says that something happened to an object. The same again within six minutes is counted, not told again. */
  record(regarding: KubernetesObject, happening: Happening): void;
  /** Writes out all that waits; gives up when the signal fires. */
  flush(signal?: AbortSignal): Promise<void>;
  /** Takes nothing more, and writes out what waits, for as long as `timeout` (5 s unless given, in milliseconds). */
  stop(timeout?: number): Promise<void>;
  readonly statistics: EventStatistics;
}

/** Between two of the same there may be this much for them to be one series; as in Go. */
const SERIES_GAP = 6 * 60_000;
/** For how long counts are gathered before they are written. */
const GATHER = 5_000;
const MOST_SERIES = 4096;

/** Makes a recorder; nothing is sent before the first event. */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  return new Recorder(options);
}

class Recorder implements EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #clock: Clock;
  readonly #limit: SpamLimit;
  readonly #reporter: { controller: string; instance: string };
  readonly #series = new BoundedMap<string, Series>(MOST_SERIES, (series) => this.#grown.delete(series));
  /** Series that have grown since the server was told. */
  readonly #grown = new Set<Series>();
  /** Objects of which it was said that their events are being dropped: once is enough. */
  readonly #dropping = new BoundedMap<string, true>(MOST_SERIES);
  readonly #outbox: Outbox<Series>;
  readonly #counts = { created: 0, updated: 0, dropped: 0, failed: 0, invalid: 0 };
  #gathering: ClockTimer;
  #stopped = false;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#limit = new SpamLimit(this.#clock, options.spamLimit);
    const controller = qualified(options.reportingController);
    const instance = cutToBytes(options.reportingInstance ?? `${controller.replace('/', '-')}-${hostname()}`, 128);
    this.#reporter = { controller, instance };
    this.#outbox = new Outbox(this.#clock, {
      send: (series, signal) => this.#write(series, signal),
      onFailed: (series, error) => this.#fail(series, error),
    });
  }

  get statistics(): EventStatistics {
    return this.#counts;
  }

  record(regarding: KubernetesObject, happening: Happening): void {
    if (this.#stopped) return;
    try {
      this.#record(regarding, happening);
    } catch (error) {
      // Whatever it is, it is not worth failing the caller for.
      this.#counts.invalid++;
      this.#options.onTrouble?.('an event could not be recorded', error);
    }
  }

  async flush(signal?: AbortSignal): Promise<void> {
    do {
      this.#tellGrown();
      await this.#outbox.emptied(signal);
      // What grew meanwhile, and may be written.
      this.#tellGrown();
    } while (this.#outbox.busy && !signal?.aborted);
  }

  async stop(timeout = 5_000): Promise<void> {
    this.#stopped = true;
    this.#clock.clearTimeout(this.#gathering);
    this.#gathering = undefined;
    await this.flush(AbortSignal.timeout(Math.ceil(timeout)));
    this.#outbox.close();
  }

  #record(object: KubernetesObject, given: Happening): void {
    const fault = faultOf(given);
    if (fault) {
      this.#counts.invalid++;
      this.#options.onTrouble?.(`an event was not recorded: ${fault}`);
      return;
    }
    const regarding = eventReference(object);
    const related = given.related && eventReference(given.related);
    const happening = { ...given, note: fittingNote(given.note) };
    const key = seriesKey(regarding, related, happening);
    const at = { now: this.#clock.now(), date: this.#clock.date() };
    const known = this.#series.get(key);
    if (known && at.now - known.lastAt <= SERIES_GAP) this.#grow(known, at);
    else this.#begin(new Series(key, regarding, related, happening, this.#reporter, at));
  }

  #begin(series: Series): void {
    const { objectKey } = series;
    if (this.#limit.allows(objectKey) && this.#outbox.add(series)) {
      this.#series.set(series.key, series);
      this.#dropping.delete(objectKey);
      return;
    }
    this.#counts.dropped++;
    if (this.#dropping.get(objectKey)) return;
    this.#dropping.set(objectKey, true);
    this.#options.onTrouble?.(`too many events about ${objectKey}: from now on some are dropped`);
  }

  #grow(series: Series, at: { now: number; date: number }): void {
    series.again(at);
    // Still in the outbox: it will be told as it is then.
    if (series.queued) return;
    this.#grown.add(series);
    this.#gathering ??= this.#clock.setTimeout(() => this.#tellGrown(), GATHER);
  }

  #tellGrown(): void {
    this.#clock.clearTimeout(this.#gathering);
    this.#gathering = undefined;
    for (const series of this.#grown) {
      // Those whose object has used up its allowance wait for the next round.
      if (this.#limit.allows(series.objectKey) && this.#outbox.add(series)) this.#grown.delete(series);
    }
    if (this.#grown.size > 0 && !this.#stopped) {
      this.#gathering = this.#clock.setTimeout(() => this.#tellGrown(), GATHER);
    }
  }

  async #write(series: Series, signal: AbortSignal): Promise<void> {
    if (series.stored && (await this.#patched(series, signal))) return;
    const { count } = series;
    try {
      await this.#options.client.create(ReportedEvent, series.manifest(), { signal, retries: 0 });
      series.told = count;
      this.#counts.created++;
    } catch (error) {
      // An earlier try arrived, and only its answer was lost: what it said of the count is unknown.
      if (!isAlreadyExists(error)) throw error;
      this.#counts.created++;
      series.told = 1;
    }
    series.stored = true;
    if (series.told < series.count) this.#growLater(series);
  }

  /** False when the server has forgotten it: events live for an hour. */
  async #patched(series: Series, signal: AbortSignal): Promise<boolean> {
    const { name, namespace, count } = series;
    try {
      await this.#options.client.patch(
        ReportedEvent,
        { name, namespace },
        { series: series.series },
        { signal, retries: 0 },
      );
      series.told = count;
      this.#counts.updated++;
      return true;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      series.rename();
      return false;
    }
  }

  #growLater(series: Series): void {
    this.#grown.add(series);
    if (!this.#stopped) this.#gathering ??= this.#clock.setTimeout(() => this.#tellGrown(), GATHER);
  }

  #fail(series: Series, error: unknown): void {
    this.#counts.failed++;
    this.#series.delete(series.key);
    this.#grown.delete(series);
    this.#options.onTrouble?.(`an event about ${series.objectKey} could not be written`, error);
  }
}

// The server wants a qualified name: letters, digits and "-_." with an optional DNS prefix.
function qualified(controller: string): string {
  const name = /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/;
  if (name.test(controller)) return controller;
  throw new RuntimeError(
    'KUR_RUNTIME_INVALID_OPTION',
    `events: reportingController "${controller}" is no qualified name`,
    {
      remedy: 'give one like example.com/myapp-operator',
    },
  );
}
