import { describe, expect, it } from 'vitest';
import { minute, second } from '../brain/time.ts';
import { silentAloneFrom } from './observe-node.ts';

const now = 1_800_000_000 * second;
const silentSince = now - minute;
const node = (name: string, ready: 'true' | 'unknown', since: number) => ({ name, ready, since, gone: false });
const silent = node('n1', 'unknown', silentSince);
const fromWith = (...others: ReturnType<typeof node>[]) => silentAloneFrom(silent, others, now);

describe('the silence of a node', () => {
  it('is its own from the beginning where another was heard all along', () => {
    expect(fromWith(node('n2', 'true', silentSince - minute), node('n3', 'unknown', silentSince))).toBe(silentSince);
  });

  it('is not its own while the others only come back from the same silence', () => {
    const backAt = silentSince + 20 * second;
    expect(fromWith(node('n2', 'true', backAt), node('n3', 'unknown', silentSince))).toBe(backAt + 2 * minute);
  });

  it('is never its own while nobody is heard', () => {
    expect(fromWith(node('n2', 'unknown', silentSince))).toBeGreaterThan(now);
  });

  it('is its own where there is no other', () => {
    expect(fromWith()).toBe(silentSince);
  });
});
