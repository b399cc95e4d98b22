/** The runnables of one stage: started together, stopped together. */
import { type Clock, fired, pause } from '../../clock.ts';
import type { Controller } from '../../controller/controller.ts';
import { messageOf, RuntimeError } from '../../error.ts';
import type { Logger } from '../../insight/late-logger.ts';
import type { RunContext, Runnable, Stage } from '../runnable.ts';

export interface GroupOptions {
  readonly stage: Stage;
  readonly clock: Clock;
  readonly logger: Logger;
  /** One of them threw before it was told to stop. */
  onFailure(error: RuntimeError): void;
}

// What is told to break off gets this long to do so before it is given up on.
const LAST_WORDS = 1_000;

export class RunnableGroup {
  readonly #options: GroupOptions;
  readonly #runnables: Runnable[] = [];
  readonly #running = new Map<Runnable, Promise<void>>();
  /** Those that said themselves that not all of them has ended. */
  readonly #halfEnded: string[] = [];
  readonly #stop = new AbortController();
  readonly #abort = new AbortController();
  #started = false;
  #deadline = 0;

  constructor(options: GroupOptions) {
    this.#options = options;
  }

  get runnables(): readonly Runnable[] {
    return this.#runnables;
  }

  /** Those that have not ended, or not wholly: something of them may still act. */
  get unended(): string[] {
    return [...Array.from(this.#running.keys(), ({ name }) => name), ...this.#halfEnded];
  }

  /** Starts it at once if the others have been started. */
  add(runnable: Runnable): void {
    this.#runnables.push(runnable);
    if (this.#started && !this.#stop.signal.aborted) this.#begin(runnable);
  }

  /** Starts all, and waits until they are ready, or are stopped before that. */
  async start(): Promise<void> {
    const { signal } = this.#stop;
    if (signal.aborted) return;
    this.#started = true;
    for (const runnable of this.#runnables) this.#begin(runnable);
    try {
      await Promise.all(this.#runnables.map((runnable) => runnable.ready?.(signal)));
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Tells all to end, and to break off after `grace` milliseconds. Resolves when they have, or didn't want to. */
  async stop(grace: number, reason: unknown): Promise<void> {
    const { clock } = this.#options;
    this.#deadline = clock.now() + grace;
    this.#stop.abort(reason);
    const over = new AbortController();
    const all = Promise.all(this.#running.values());
    await Promise.race([all, pause(clock, grace, this.#abort.signal, over.signal)]);
    this.abort(reason);
    if (this.#running.size > 0) await Promise.race([all, pause(clock, LAST_WORDS, over.signal)]);
    over.abort();
  }

  /** Tells all to break off. */
  abort(reason: unknown): void {
    this.#stop.abort(reason);
    this.#abort.abort(reason);
  }

  #begin(runnable: Runnable): void {
    const running = this.#run(runnable).finally(() => this.#running.delete(runnable));
    this.#running.set(runnable, running);
  }

  async #run(runnable: Runnable): Promise<void> {
    const { clock, logger } = this.#options;
    const context: RunContext = {
      stop: this.#stop.signal,
      abort: this.#abort.signal,
      remaining: () => Math.max(0, this.#deadline - clock.now()),
      logger: logger.child({ runnable: runnable.name }),
    };
    try {
      await runnable.run(context);
    } catch (error) {
      this.#failed(runnable.name, error);
    }
  }

  #failed(name: string, error: unknown): void {
    const { logger, onFailure, stage } = this.#options;
    const message = messageOf(error);
    if (!this.#stop.signal.aborted) {
      onFailure(new RuntimeError('KUR_RUNTIME_RUNNABLE_FAILED', `${name} failed: ${message}`, { cause: error }));
      return;
    }
    logger.warn({ runnable: name, stage, error }, 'failed while stopping');
    const drainedHalf = error instanceof RuntimeError && error.code === 'KUR_RUNTIME_DRAIN_TIMEOUT';
    if (drainedHalf) this.#halfEnded.push(`${name} (${message})`);
  }
}

/** A controller as something that a manager runs: it drains when told to stop, and breaks off when told to. */
export function controllerRunnable(controller: Controller): Runnable {
  return {
    name: `controller ${controller.name}`,
    async run({ stop, abort, remaining }) {
      // Also while it still waits for its caches.
      const stopped = fired(stop).then(() => {
        abort.addEventListener('abort', () => void controller.stop(0), { once: true });
        return controller.stop(abort.aborted ? 0 : remaining());
      });
      await controller.start();
      const left = await stopped;
      if (left.length === 0) return;
      throw new RuntimeError('KUR_RUNTIME_DRAIN_TIMEOUT', `still reconciling ${left.slice(0, 5).join(', ')}`, {
        remedy: "pass the context's signal to what takes so long, or give the pod a longer grace period",
      });
    },
  };
}
