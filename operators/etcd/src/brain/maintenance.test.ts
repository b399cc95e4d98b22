import { describe, expect, it } from 'vitest';
import { decide } from './decide.ts';
import { maintenanceAfter } from './record.ts';
import type { Situation } from './situation.ts';
import type { Step } from './step.ts';

const names = ['a', 'b', 'c'];
const running = { pod: 'running', upToDate: true, claim: true, gone: false, forced: false } as const;
const well: Situation = {
  size: 3,
  paused: false,
  recovers: false,
  recovery: undefined,
  positions: new Map(),
  replaceAfter: 60_000,
  formed: true,
  members: names.map((name) => ({ name, state: 'Member' })),
  objects: new Map(names.map((name) => [name, running])),
  healthy: new Set(names),
  listing: { members: names.map((name) => ({ id: name, name, isLearner: false })), leader: 'a' },
  freshName: 'd',
  noSpace: false,
  corrupt: new Set(),
  foreign: new Set(),
  full: new Set(),
  request: undefined,
  maintenance: undefined,
  now: 1_000_000,
};

/** What is done until there is nothing to do: who is defragmented has room, and a leader that is to hand over does. */
function play(begin: Situation, makesRoom = true): { steps: string[]; last: Step; end: Situation } {
  let situation = begin;
  const steps: string[] = [];
  for (let i = 0; i < 30; i += 1) {
    const step = decide(situation);
    if (step.do === 'nothing' || step.do === 'wait') return { steps, last: step, end: situation };
    steps.push('name' in step ? `${step.do} ${step.name}` : step.do);
    situation = { ...situation, maintenance: maintenanceAfter(situation.maintenance, step) };
    if (step.do === 'move-leader' && situation.listing) {
      situation = { ...situation, listing: { ...situation.listing, leader: step.toId } };
    }
    if (step.do === 'defragment' && makesRoom) {
      situation = { ...situation, full: new Set([...situation.full].filter((name) => name !== step.name)) };
    }
    if (step.do === 'disarm') situation = { ...situation, noSpace: false };
  }
  throw new Error(`it never ends: ${steps.join(', ')}`);
}

describe('room in the database', () => {
  it('is made by one member at a time, followers first, when it is asked for', () => {
    const { steps, last, end } = play({ ...well, request: 'today' });
    expect(steps).toEqual(['maintain', 'defragment b', 'defragment c', 'move-leader', 'defragment a', 'maintain']);
    expect(last.do).toBe('nothing');
    expect(play(end).steps).toEqual([]);
    expect(play({ ...end, request: 'tomorrow' }).steps).toContain('defragment b');
  });

  it('is made by forgetting history first where etcd refuses writes, which it accepts again in the end', () => {
    const { steps, last } = play({ ...well, noSpace: true, full: new Set(names) });
    expect(steps.slice(0, 3)).toEqual(['maintain', 'compact', 'defragment b']);
    expect(steps.slice(-3)).toEqual(['defragment a', 'disarm', 'maintain']);
    expect(last.do).toBe('nothing');
  });

  it('is left to a person where keys fill it, and tried again after a while', () => {
    const { steps, last, end } = play({ ...well, noSpace: true, full: new Set(names) }, false);
    expect(steps).not.toContain('disarm');
    expect(last).toMatchObject({ do: 'wait', concern: 'space' });
    expect(last.why).toContain('spec.quotaBackendBytes');
    expect(play({ ...end, now: end.now + 600_000 }, true).steps).toContain('disarm');
  });

  it('is there once a larger quota has come, which nothing holds up', () => {
    const { end } = play({ ...well, noSpace: true, full: new Set(names) }, false);
    const outdated = new Map(names.map((name) => [name, { ...running, upToDate: false }]));
    expect(decide({ ...end, objects: outdated })).toMatchObject({ do: 'plan', member: { state: 'Restarting' } });
    expect(decide({ ...end, objects: outdated })).not.toHaveProperty('afterWrite');
    expect(decide({ ...end, full: new Set() })).toMatchObject({ do: 'disarm' });
  });

  it('is not made while a member gives no answer', () => {
    const step = decide({ ...well, request: 'today', maintenance: begun, healthy: new Set(['a', 'b']) });
    expect(step).toMatchObject({ do: 'wait' });
  });

  const begun = { reason: 'Request', since: 0, compacted: false, done: [], request: 'today' } as const;
});
