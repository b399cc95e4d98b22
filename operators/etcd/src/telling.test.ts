import { describe, expect, it } from 'vitest';
import type { Step } from './brain/step.ts';
import { tell } from './telling.ts';

function toldOf(...steps: Step[]): string[] {
  const told: string[] = [];
  for (const step of steps) {
    const event = (_: string, reason: string) => told.push(reason);
    tell(step, { event, log: { info: () => undefined } } as never);
  }
  return told;
}
const plan = (state: 'Joining' | 'Member' | 'Leaving'): Step => ({
  do: 'plan',
  member: { name: 'a', state },
  why: 'so',
});

describe('Events', () => {
  it('of one member that takes the place of another are one for each thing that is done', () => {
    const steps: Step[] = [
      plan('Leaving'),
      { do: 'remove', name: 'a', id: '1', why: 'so' },
      { do: 'discard', name: 'a', why: 'so' },
      { do: 'forget', name: 'a', why: 'so' },
      plan('Joining'),
      { do: 'add', name: 'b', why: 'so' },
      { do: 'start', name: 'b', begin: false, why: 'so' },
      { do: 'promote', name: 'b', id: '2', why: 'so' },
      plan('Member'),
    ];
    expect(toldOf(...steps)).toEqual([
      'MemberPlanned',
      'MemberRemoved',
      'VolumeDeleted',
      'MemberAdded',
      'MemberStarted',
      'MemberPromoted',
    ]);
  });

  it('are told of what is waited for where a person should know of it', () => {
    expect(toldOf({ do: 'wait', why: 'it starts' }, { do: 'wait', concern: 'corrupt', why: 'so' })).toEqual([
      'DataCorrupt',
    ]);
  });
});
