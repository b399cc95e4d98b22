// What becomes of pods and claims: nothing of who leads is decided here.
import { describe, expect, it } from 'vitest';
import { firstRecord } from './brain/coordinator.ts';
import type { ClusterRecord } from './brain/record.ts';
import { type KnownInstance, plan, type Situation, synchronousOf } from './plan.ts';

const instance = (serial: number, more: Partial<KnownInstance> = {}): KnownInstance => ({
  name: `db-${serial}`,
  serial,
  pod: 'ready',
  hasClaim: true,
  upToDate: true,
  ...more,
});
const serving = (holder: string, names: readonly string[] = []): ClusterRecord => ({
  ...firstRecord(holder),
  stage: 'Serving',
  served: { holder, epoch: 1 },
  sets: [{ names, k: names.length > 0 ? 1 : 0 }],
});
const situation = (more: Partial<Situation>): Situation => ({
  wanted: 3,
  synchronous: undefined,
  instances: [],
  record: undefined,
  hasData: false,
  switchover: undefined,
  nameOf: (serial) => `db-${serial}`,
  ...more,
});
const three = [instance(1), instance(2), instance(3)];

describe('a plan', () => {
  it('begins with one instance, whatever is wanted', () => {
    const { start, wishes } = plan(situation({}));
    expect(start).toEqual([{ name: 'db-1', hasClaim: false }]);
    expect(wishes.instances).toEqual(['db-1']);
  });

  it('copies the first once it has data', () => {
    const { start } = plan(situation({ instances: [instance(1)], record: serving('db-1'), hasData: true }));
    expect(start.map(({ name }) => name)).toEqual(['db-2', 'db-3']);
  });

  it('makes a pod anew for the data that is there, and never a claim', () => {
    const instances = [instance(1, { pod: 'absent' }), instance(2), instance(3)];
    const { start, discard } = plan(situation({ instances, record: serving('db-2'), hasData: true }));
    expect(start).toEqual([{ name: 'db-1', hasClaim: true }]);
    expect(discard).toEqual([]);
  });

  it('lets nobody go whom a commit may have waited for', () => {
    const seen = { wanted: 2, instances: three, hasData: true };
    expect(plan(situation({ ...seen, record: serving('db-1', ['db-2', 'db-3']) })).discard).toEqual([]);
    expect(plan(situation({ ...seen, record: serving('db-1', ['db-2']) })).discard).toEqual(['db-3']);
  });

  it('keeps the primary when it shrinks, whichever number it has', () => {
    const record = serving('db-3', ['db-1']);
    const { wishes, discard } = plan(situation({ wanted: 2, instances: three, record, hasData: true }));
    expect(wishes.instances).toEqual(['db-1', 'db-3']);
    expect(discard).toEqual(['db-2']);
  });

  it('puts replicas before the primary when the spec has changed, one at a time', () => {
    const old = three.map((one) => ({ ...one, upToDate: false }));
    const record = serving('db-1', ['db-2', 'db-3']);
    expect(plan(situation({ instances: old, record, hasData: true })).stop.map(({ name }) => name)).toEqual(['db-2']);
    const last = [instance(1, { upToDate: false }), instance(2), instance(3)];
    const { stop, wishes } = plan(situation({ instances: last, record, hasData: true }));
    expect(stop).toEqual([]);
    expect(wishes.switchTo).toBe('db-2');
  });

  it('leads clients to nobody as the primary while there is none', () => {
    const record: ClusterRecord = { ...serving('db-1', ['db-2']), stage: 'Freezing' };
    const { roles, waits } = plan(situation({ instances: three, record, hasData: true }));
    expect(roles.map(({ role }) => role)).toEqual(['replica', 'replica', 'replica']);
    expect(waits).toBe('waits for another primary');
  });

  it('has commits wait for half of the replicas, rounded up, unless told otherwise', () => {
    expect([1, 2, 3, 4, 5].map((instances) => synchronousOf(undefined, instances))).toEqual([0, 1, 1, 2, 2]);
    expect(synchronousOf(2, 3)).toBe(2);
  });
});
