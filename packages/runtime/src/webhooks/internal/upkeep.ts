/**
 * Sees to it, again and again, that a certificate is served, that the API server knows where we are, and that it trusts
 * what is served. Woken by every change of what it looks at; looks once in a while all the same.
 */
import type { Client, ResourceType } from '@kurator/client';
import type { KeyPair } from '@kurator/pki';
import type { Certificates } from '../../certificates/certificates.ts';
import { type Clock, pause } from '../../clock.ts';
import { messageOf, RuntimeError } from '../../error.ts';
import type { Logger } from '../../insight/late-logger.ts';
import type { Place } from './registrar.ts';

/** An object whose changes are a reason to look. */
export interface Watched {
  readonly type: ResourceType;
  readonly name: string;
  readonly namespace?: string;
}

export interface UpkeepOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly certificates: Certificates;
  /** Milliseconds after which to look even if nothing is known to have changed. */
  readonly interval: number;
  /** Besides the places: the Secret. */
  readonly watched: readonly Watched[];
  /** Begins to listen, with the first certificate; then it is known where we are to be registered. */
  open(pair: KeyPair): Promise<readonly Place[]>;
  /** Serves a certificate from now on; the same again changes nothing. */
  serve(pair: KeyPair): void;
}

const SHORTEST_REST = 500;
const LONGEST_REST = 30_000;
const RESTORE_TRIES = 3;

export class Upkeep {
  readonly #options: UpkeepOptions;
  readonly #registered = Promise.withResolvers<void>();
  #places: readonly Place[] | undefined;
  #wake = new AbortController();
  #failures = 0;
  /** Whether all was in place at least once. */
  registered = false;
  /** What went wrong at the last look. */
  trouble: string | undefined;
  /** When everything was last seen to be right, on the clock's monotonic time. */
  rightAt: number | undefined;

  constructor(options: UpkeepOptions) {
    this.#options = options;
  }

  /** Resolves when all is in place for the first time. */
  untilRegistered(): Promise<void> {
    return this.#registered.promise;
  }

  /** Goes on until the signal fires; throws only if it can't listen. */
  async run(signal: AbortSignal): Promise<void> {
    for (const watched of this.#options.watched) void this.#watch(watched, signal);
    while (!signal.aborted) {
      this.#wake = new AbortController();
      const rest = await this.#lookSafely(signal);
      await pause(this.#options.clock, Math.min(rest, this.#options.interval), signal, this.#wake.signal);
    }
  }

  /** Once it has ended: everything becomes what it was before. What fails is told, and the rest goes on. */
  async restore(): Promise<void> {
    for (const place of this.#places ?? []) {
      try {
        for (let tries = 1; (await place.restore()) === 'overtaken' && tries < RESTORE_TRIES; tries++);
      } catch (error) {
        const { type, name } = place;
        this.#options.logger.warn(
          { error },
          `the registration in ${type.kind} ${name} could not be put back as it was`,
        );
      }
    }
  }

  async #lookSafely(signal: AbortSignal): Promise<number> {
    try {
      const rest = await this.#look(signal);
      this.#failures = 0;
      this.trouble = undefined;
      return rest;
    } catch (error) {
      if (error instanceof RuntimeError && error.code === 'KUR_RUNTIME_LISTEN') throw error;
      this.trouble = messageOf(error);
      if (!signal.aborted) this.#options.logger.warn({ error }, 'the webhooks are not in order: trying again');
      return Math.min(SHORTEST_REST * 2 ** this.#failures++, LONGEST_REST);
    }
  }

  /** @returns milliseconds until something is due. */
  async #look(signal: AbortSignal): Promise<number> {
    const { certificates, serve, open, clock } = this.#options;
    if (!this.#places) {
      const { serving } = await certificates.read();
      this.#places = await open(serving);
      for (const place of this.#places) void this.#watch(place, signal);
    }
    // The order matters: see registrar.ts.
    const seen = await Promise.all(this.#places.map((place) => place.look()));
    const { serving, bundle } = await certificates.read();
    serve(serving);
    const outcomes = await Promise.allSettled(seen.map((make) => make(bundle, !this.registered)));
    const held = outcomes.every(({ status }) => status === 'fulfilled');
    const overtaken = outcomes.some((outcome) => outcome.status === 'fulfilled' && outcome.value === 'overtaken');
    if (overtaken) return 0;
    const rest = await certificates.advance(held);
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    this.#inPlace(clock.now());
    return rest;
  }

  #inPlace(now: number): void {
    this.rightAt = now;
    if (this.registered) return;
    this.registered = true;
    this.#registered.resolve();
    this.#options.logger.info({}, 'the webhooks are registered');
  }

  /** A watch that ends or fails is begun again; what it misses meanwhile, the next look sees. */
  async #watch({ type, name, namespace }: Watched, signal: AbortSignal): Promise<void> {
    const { client, clock, interval } = this.#options;
    while (!signal.aborted) {
      try {
        const selection = { fieldSelector: `metadata.name=${name}`, ...(namespace && { namespace }) };
        for await (const { type: change } of client.watch(type, { ...selection, signal })) {
          if (change !== 'BOOKMARK') this.#wake.abort();
        }
      } catch {
        // Whatever kept us from watching keeps us from looking too, and is told there.
      }
      await pause(clock, Math.min(interval, 1_000), signal);
    }
  }
}
