// Whatever happens to objects and to their reconciles, in any order: in the end each object was reconciled as it is.
import { type KubernetesObject, resourceType } from '@kurator/client';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { type MemoryCache, memoryCache } from '../../test/support/memory-cache.ts';
import { createController } from './controller.ts';
import { PermanentError } from './permanent-error.ts';
import type { ReconcileContext } from './reconcile.ts';

const Widget = resourceType<KubernetesObject>('example.com/v1', 'Widget');
const CONCURRENCY = 2;

/** How a reconcile goes: how long it takes, and how it ends. `deaf` ones don't hear that their time is up. */
interface Fate {
  takes: number;
  ends: 'well' | 'badly' | 'for good' | 'asking for more';
  deaf: boolean;
}

const fate: fc.Arbitrary<Fate> = fc.record({
  takes: fc.constantFrom(0, 10, 900, 5000, 20_000),
  ends: fc.constantFrom('well', 'badly', 'for good', 'asking for more'),
  deaf: fc.boolean(),
});

const name = fc.constantFrom('a', 'b', 'c', 'd');
const step = fc.oneof(
  fc.record({ put: name }),
  fc.record({ remove: name }),
  fc.record({ pass: fc.constantFrom(0, 1, 50, 2000, 30_000) }),
);
type Step = { put: string } | { remove: string } | { pass: number };

/** Reconciles as fate wants, and watches over the rules. */
class Reconciler {
  readonly #clock: ManualClock;
  readonly #fates: Fate[];
  readonly running = new Set<string>();
  /** The version that each object was last reconciled at, and ended well or was given up on. */
  readonly settledAt = new Map<string, string | undefined>();
  broken: string | undefined;

  constructor(clock: ManualClock, fates: Fate[]) {
    this.#clock = clock;
    this.#fates = fates;
  }

  readonly reconcile = async ({ metadata }: KubernetesObject, { key, signal }: ReconcileContext) => {
    if (this.running.has(key)) this.broken = `${key} ran twice at once`;
    this.running.add(key);
    try {
      const { takes, ends, deaf } = this.#fates.shift() ?? { takes: 0, ends: 'well', deaf: false };
      await this.#pass(takes, deaf ? undefined : signal);
      if (ends === 'badly') throw new Error('fate');
      this.settledAt.set(key, metadata.resourceVersion);
      if (ends === 'for good') throw new PermanentError('fate');
      return ends === 'asking for more' ? { requeueAfter: '1m' } : undefined;
    } finally {
      this.running.delete(key);
    }
  };

  async #pass(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#clock.setTimeout(resolve, milliseconds);
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  }
}

async function act(step: Step, clock: ManualClock, widgets: MemoryCache<KubernetesObject>): Promise<void> {
  if ('put' in step) widgets.put({ metadata: { name: step.put, namespace: 'n' } });
  else if ('remove' in step) widgets.remove(`n/${step.remove}`);
  else await clock.advance(step.pass);
}

it('reconciles every object as it is in the end, never one twice at once, and never too many', async () => {
  const scenario = fc.record({
    steps: fc.array(step, { maxLength: 40, size: 'max' }),
    fates: fc.array(fate, { maxLength: 30, size: 'max' }),
  });
  await fc.assert(
    fc.asyncProperty(scenario, async ({ steps, fates }) => {
      const clock = new ManualClock();
      const widgets = memoryCache(Widget);
      const reconciler = new Reconciler(clock, fates);
      const controller = createController({
        name: 'widget',
        for: widgets,
        concurrency: CONCURRENCY,
        timeout: '10s',
        clock,
        reconcile: reconciler.reconcile,
      });
      await controller.start();
      for (const step of steps) {
        await act(step, clock, widgets);
        expect(reconciler.running.size - controller.stuck().length).toBeLessThanOrEqual(CONCURRENCY);
      }
      await clock.advance(3_600_000);
      expect(reconciler.broken).toBeUndefined();
      for (const { metadata } of widgets.list()) {
        expect(reconciler.settledAt.get(`n/${metadata.name}`)).toBe(metadata.resourceVersion);
      }
      await controller.stop();
    }),
    { numRuns: 150 },
  );
});
