import { describe, expect, it } from 'vitest';
import { decide } from './decide.ts';
import { membersAfter } from './record.ts';
import type { Situation } from './situation.ts';
import type { Step } from './step.ts';

const names = ['a', 'b', 'c'];
const running = { pod: 'running', upToDate: true, claim: true, gone: false, forced: false } as const;
const idOf = (name: string) => `id-${name}`;
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
  listing: { members: names.map((name) => ({ id: idOf(name), name, isLearner: false })), leader: idOf('a') },
  freshName: 'd',
  noSpace: false,
  corrupt: new Set(),
  foreign: new Set(),
  full: new Set(),
  request: undefined,
  maintenance: undefined,
  now: 1_000_000,
};

/** What is done until somebody joins, or nothing is left to do; etcd and Kubernetes do what they are asked. */
function play(begin: Situation): { steps: string[]; last: Step } {
  let situation = begin;
  const steps: string[] = [];
  for (let i = 0; i < 30; i += 1) {
    const step = decide(situation);
    const kept = step.do === 'discard' && step.keep ? ' and keep it' : '';
    if (step.do === 'wait' || step.do === 'nothing' || step.do === 'add') return { steps, last: step };
    steps.push(`${step.do}${'name' in step ? ` ${step.name}` : ''}${kept}`);
    situation = after(situation, step);
  }
  throw new Error(`it never ends: ${steps.join(', ')}`);
}

function after(situation: Situation, step: Step): Situation {
  const { listing, objects, healthy } = situation;
  const members = membersAfter(situation.members, step);
  if (!listing) throw new Error('quorum is there');
  switch (step.do) {
    case 'move-leader':
      return { ...situation, listing: { ...listing, leader: step.toId } };
    case 'remove':
      return { ...situation, listing: { ...listing, members: listing.members.filter(({ id }) => id !== step.id) } };
    case 'stop':
      return {
        ...situation,
        objects: new Map(objects).set(step.name, { ...running, pod: 'absent' }),
        healthy: new Set([...healthy].filter((name) => name !== step.name)),
      };
    case 'discard':
      return { ...situation, objects: new Map(objects).set(step.name, { ...running, pod: 'absent', claim: false }) };
    case 'disarm':
      return { ...situation, corrupt: new Set() };
    default:
      return { ...situation, members };
  }
}

describe('a member whose data is corrupt', () => {
  it('is taken off the list, its volume kept, and etcd serves again before another joins', () => {
    const { steps, last } = play({ ...well, corrupt: new Set([idOf('b')]) });
    expect(steps).toEqual(['plan', 'remove b', 'stop b', 'discard b and keep it', 'forget b', 'disarm', 'plan']);
    expect(last).toMatchObject({ do: 'add', name: 'd' });
  });

  it('hands over before, if it leads', () => {
    expect(play({ ...well, corrupt: new Set([idOf('a')]) }).steps.slice(0, 3)).toEqual([
      'plan',
      'move-leader',
      'remove a',
    ]);
  });

  it('stays where those whose data is not are no quorum, and a person is called', () => {
    const two = decide({ ...well, corrupt: new Set([idOf('a'), idOf('b')]) });
    expect(two).toMatchObject({ do: 'wait', concern: 'corrupt' });
    const oneSilent = decide({ ...well, corrupt: new Set([idOf('b')]), healthy: new Set(['a', 'b']) });
    expect(oneSilent).toMatchObject({ do: 'wait', concern: 'corrupt' });
  });

  it('is not looked for where etcd does not know who is right', () => {
    const step = decide({ ...well, corrupt: new Set(['0']) });
    expect(step).toMatchObject({ do: 'wait', concern: 'corrupt' });
    expect(step.why).toContain('restore a backup');
  });
});

describe('a cluster whose name another had before', () => {
  const begun: Situation = { ...well, formed: false, members: [], objects: new Map(), listing: undefined };

  it('is not begun while pods of that one are there, for clients would be led to both', () => {
    const step = decide({ ...begun, leftovers: ['shop-old'] });
    expect(step).toMatchObject({ do: 'wait', concern: 'stranger' });
    expect(step.why).toContain('shop-old');
    expect(decide({ ...begun, leftovers: [] })).toMatchObject({ do: 'plan', member: { state: 'Seed' } });
  });
});

describe('a member that answers for another cluster', () => {
  it('is replaced at once, and its volume is kept, for it is somebody else’s', () => {
    const { steps } = play({ ...well, foreign: new Set(['c']), healthy: new Set(['a', 'b']) });
    expect(steps).toEqual(['plan', 'remove c', 'stop c', 'discard c and keep it', 'forget c', 'plan']);
  });

  it('stays where there is no quorum without it', () => {
    const step = decide({ ...well, foreign: new Set(['c']), healthy: new Set(['a']) });
    expect(step).toMatchObject({ do: 'wait', concern: 'quorum' });
  });
});
