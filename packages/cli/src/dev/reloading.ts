/**
 * Keeps one operator running, and replaces it when its code changes: the next process is loaded first, the earlier one
 * ends, the next one starts. There is never more than one at work. A spare process waits, warm, for the next change.
 */
import type { DevSettings, LoadedOperator } from './messages.ts';
import type { Runner } from './runner.ts';

/** What is kept running, and who hears of it. */
export interface ReloadingOptions {
  /** Called before each start, when nothing of ours is at work: how it is to be run, or an error if it must not be. */
  settings(operator: LoadedOperator): Promise<DevSettings>;
  create(): Promise<Runner>;
  say(text: string): void;
}

/** Changes are taken one after another; those that come meanwhile count as one. */
export class Reloading {
  readonly #options: ReloadingOptions;
  #active: Runner | undefined;
  #spare: Promise<Runner> | undefined;
  #work: Promise<void> = Promise.resolve();
  #isDue = false;
  #isStopping = false;

  constructor(options: ReloadingOptions) {
    this.#options = options;
  }

  /** Starts the operator the first time; fails as it fails. Changes that come meanwhile are taken afterwards. */
  start(): Promise<void> {
    this.#work = this.#begin();
    return this.#work;
  }

  /** Replaces what runs, because of this. */
  changed(what: string): Promise<void> {
    if (this.#isDue) return this.#work;
    this.#isDue = true;
    this.#work = this.#work.then(async () => {
      this.#isDue = false;
      await this.#reload(what);
    });
    return this.#work;
  }

  /** Also while it starts, which may take for ever. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const atWork = this.#active;
    await atWork?.stop();
    await this.#work.catch(() => {});
    const spare = await this.#spare?.catch(() => undefined);
    const next = this.#active === atWork ? undefined : this.#active;
    await Promise.all([next?.stop(), spare?.stop()]);
  }

  async #begin(): Promise<void> {
    this.#active = await this.#options.create();
    const operator = await this.#active.load();
    const settings = await this.#options.settings(operator);
    if (this.#isStopping) return;
    await this.#active.start(settings);
    this.#spare = this.#options.create();
  }

  async #reload(what: string): Promise<void> {
    if (this.#isStopping) return;
    const { create, say, settings } = this.#options;
    const began = performance.now();
    const next = await (this.#spare ?? create());
    this.#spare = undefined;
    let operator: LoadedOperator;
    try {
      operator = await next.load();
    } catch (error) {
      say(
        `${what} can't be loaded; ${this.#active ? 'what ran before goes on' : 'waiting for a change'}:\n${(error as Error).message}`,
      );
      this.#spare = create();
      await next.stop();
      return;
    }
    await this.#active?.stop();
    this.#active = next;
    try {
      const how = await settings(operator);
      if (this.#isStopping) return;
      await next.start(how);
      say(`reloaded in ${Math.round(performance.now() - began)} ms: ${what}`);
    } catch (error) {
      if (this.#isStopping) return;
      say(`it can't be started; waiting for a change:\n${(error as Error).message}`);
      await next.stop();
      this.#active = undefined;
    }
    this.#spare = create();
  }
}
