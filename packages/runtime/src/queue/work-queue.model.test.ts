// Any sequence of calls, in any time: the queue does what a model does that keeps plain lists and looks through them.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { WorkQueue } from './work-queue.ts';

const FIRST = 8;
const LONGEST = 4000;
const LONGEST_REST = 1000;

interface Wanted {
  /** From when on it may run, but not while it runs. */
  at: number;
  priority: number;
}

/** A queue as one would explain it: per key at most one wish, whether it runs, and how it failed. */
class Model {
  readonly clock: ManualClock;
  readonly wanted = new Map<string, Wanted>();
  readonly running = new Set<string>();
  readonly failures = new Map<string, { count: number; restsUntil: number }>();

  constructor(clock: ManualClock) {
    this.clock = clock;
  }

  want(key: string, at: number, priority: number): void {
    const wish = this.wanted.get(key);
    this.wanted.set(key, {
      at: Math.min(at, wish?.at ?? Number.POSITIVE_INFINITY),
      priority: Math.max(priority, wish?.priority ?? Number.NEGATIVE_INFINITY),
    });
  }

  add(key: string, priority: number): void {
    this.want(key, Math.max(this.clock.now(), this.failures.get(key)?.restsUntil ?? 0), priority);
  }

  /** Returns the backoff. */
  fail(key: string): number {
    const count = (this.failures.get(key)?.count ?? 0) + 1;
    const backoff = Math.min(FIRST * 2 ** (count - 1), LONGEST);
    const restsUntil = this.clock.now() + Math.min(backoff, LONGEST_REST);
    this.failures.set(key, { count, restsUntil });
    const wish = this.wanted.get(key);
    if (wish && wish.at <= this.clock.now()) wish.at = restsUntil;
    return backoff;
  }

  ready(): string[] {
    return [...this.wanted].flatMap(([key, { at }]) => (at <= this.clock.now() && !this.running.has(key) ? [key] : []));
  }

  delayed(): string[] {
    return [...this.wanted].flatMap(([key, { at }]) => (at > this.clock.now() ? [key] : []));
  }
}

type Step = (model: Model, queue: WorkQueue) => void | Promise<void>;

class Command implements fc.AsyncCommand<Model, WorkQueue> {
  readonly #name: string;
  readonly #step: Step;
  readonly #possible: (model: Readonly<Model>) => boolean;

  constructor(name: string, step: Step, possible: (model: Readonly<Model>) => boolean = () => true) {
    this.#name = name;
    this.#step = step;
    this.#possible = possible;
  }

  check(model: Readonly<Model>): boolean {
    return this.#possible(model);
  }

  async run(model: Model, queue: WorkQueue): Promise<void> {
    await this.#step(model, queue);
    const ready = model.ready();
    expect(queue.depth).toBe(ready.length);
    expect(queue.delayed).toBe(model.delayed().length);
    expect(new Set(queue.running().map(({ key }) => key))).toEqual(model.running);
    expect(new Set(queue.queued(100).map(({ key }) => key))).toEqual(new Set([...ready, ...model.delayed()]));
    expect(new Map(queue.failing(100).map(({ key, failures }) => [key, failures]))).toEqual(
      new Map(Array.from(model.failures, ([key, { count }]) => [key, count])),
    );
  }

  toString(): string {
    return this.#name;
  }
}

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const priority = fc.constantFrom(0, -50, -100);
const delay = fc.constantFrom(0, 1, 5, 30, 500, 3000);

const takes = fc.constant(
  new Command('take', (model, queue) => {
    const ready = model.ready();
    const taken = queue.take();
    if (ready.length === 0) {
      expect(taken).toBeUndefined();
      return;
    }
    const item = taken ?? expect.unreachable('something is ready');
    expect(ready).toContain(item.key);
    const wish = model.wanted.get(item.key);
    expect(item).toMatchObject({
      priority: wish?.priority,
      failures: model.failures.get(item.key)?.count ?? 0,
    });
    model.wanted.delete(item.key);
    model.running.add(item.key);
  }),
);

const commands = [
  takes,
  takes,
  fc.tuple(key, priority).map(
    ([key, priority]) =>
      new Command(`add ${key} ${priority}`, (model, queue) => {
        queue.add(key, priority);
        model.add(key, priority);
      }),
  ),
  fc.tuple(key, delay, priority).map(
    ([key, delay, priority]) =>
      new Command(`add ${key} ${priority} after ${delay}`, (model, queue) => {
        queue.addAfter(key, delay, priority);
        if (delay === 0) model.add(key, priority);
        else model.want(key, model.clock.now() + delay, priority);
      }),
  ),
  key.map(
    (key) =>
      new Command(
        `${key} succeeds`,
        (model, queue) => {
          queue.forget(key);
          queue.done(key);
          model.failures.delete(key);
          model.running.delete(key);
        },
        (model) => model.running.has(key),
      ),
  ),
  key.map(
    (key) =>
      new Command(
        `${key} fails`,
        (model, queue) => {
          const addedMeanwhile = (model.wanted.get(key)?.at ?? Number.POSITIVE_INFINITY) <= model.clock.now();
          const backoff = model.fail(key);
          expect(queue.retry(key, new Error('no'))).toBe(backoff);
          queue.done(key);
          if (!addedMeanwhile) model.want(key, model.clock.now() + backoff, -50);
          model.running.delete(key);
        },
        (model) => model.running.has(key),
      ),
  ),
  key.map(
    (key) =>
      new Command(
        `${key} fails for good`,
        (model, queue) => {
          model.fail(key);
          queue.giveUp(key, new Error('never'));
          queue.done(key);
          model.running.delete(key);
        },
        (model) => model.running.has(key),
      ),
  ),
  key.map(
    (key) =>
      new Command(`remove ${key}`, (model, queue) => {
        queue.remove(key);
        model.wanted.delete(key);
        model.failures.delete(key);
      }),
  ),
  delay.map((delay) => new Command(`${delay} ms pass`, (model) => model.clock.advance(delay))),
];

it('does what the model does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 80, size: 'max' }), async (commands) => {
      await fc.asyncModelRun(() => {
        const clock = new ManualClock();
        const backoff = { first: FIRST, longest: LONGEST, jitter: 0 };
        return { model: new Model(clock), real: new WorkQueue({ clock, backoff, retryRate: false }) };
      }, commands);
    }),
    { numRuns: 300 },
  );
});
