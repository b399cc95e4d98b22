import { describe, expect, it } from 'vitest';
import { happens, story } from '../../brain/simulation/story.ts';
import { think } from '../../brain/think.ts';
import { minute } from '../../brain/time.ts';
import { Counter, Tally } from './tally.ts';

const counted = (counter: { samples(): Iterable<{ labels: object; value: number }> }) =>
  Object.fromEntries(Array.from(counter.samples(), ({ labels, value }) => [Object.values(labels).join(' '), value]));

describe('a tally', () => {
  it('counts what an incident goes through, each thing once', () => {
    const tally = new Tally();
    story([happens('ill', 'hang')], {
      length: 60 * minute,
      brain: (input) => {
        const thought = think(input);
        tally.thought(input.history, thought);
        return thought;
      },
    });
    expect(counted(tally.stages)).toEqual({ suspected: 1, confirmed: 1, repairing: 1, verifying: 1, recovered: 1 });
    expect(counted(tally.steps)).toEqual({ 'replace succeeded': 1 });
    const counts = (times: Tally['detecting']) =>
      Array.from(times.samples())
        .filter(({ suffix }) => suffix === '_count')
        .map(({ labels, value }) => [labels.cause, value]);
    expect(counts(tally.detecting)).toEqual([['hang', 1]]);
    expect(counts(tally.recovering)).toEqual([['hang', 1]]);
    const told = Object.values(counted(tally.notifications)).reduce((sum, one) => sum + one, 0);
    expect(told).toBeGreaterThan(0);
  });
});

describe('a counter', () => {
  it('tells labels apart, and adds up', () => {
    const counter = new Counter();
    counter.add({ kind: 'evict', outcome: 'done' });
    counter.add({ kind: 'evict', outcome: 'failed' }, 2);
    counter.add({ kind: 'evict', outcome: 'done' });
    expect(counted(counter)).toEqual({ 'evict done': 2, 'evict failed': 2 });
  });
});
