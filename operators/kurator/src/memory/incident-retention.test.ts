import { describe, expect, it } from 'vitest';
import type { Incident } from '../resources/incident.ts';
import { leftOpen, outdated } from './incident-retention.ts';

const incident = (name: string, closedAt?: number) =>
  ({
    metadata: { name },
    status: closedAt === undefined ? {} : { closedAt: new Date(closedAt).toISOString() },
  }) as unknown as Incident;
const names = (incidents: Incident[]) => incidents.map(({ metadata }) => metadata.name);

describe('incidents', () => {
  it('go when they are too many, the oldest first', () => {
    const all = [incident('a', 1000), incident('c', 3000), incident('b', 2000)];
    expect(names(outdated(all, { number: 2, age: 1e9 }, 4000))).toEqual(['a']);
  });

  it('go when they are too old', () => {
    const all = [incident('a', 1000), incident('b', 2000)];
    expect(names(outdated(all, { number: 10, age: 1500 }, 3000))).toEqual(['a']);
  });

  it('stay while they are open, and don’t count', () => {
    const all = [incident('open'), incident('a', 1000)];
    expect(outdated(all, { number: 1, age: 1e9 }, 1e6)).toEqual([]);
  });

  it('that look open and are not are found', () => {
    const all = [incident('open'), incident('left'), incident('closed', 1)];
    expect(names(leftOpen(all, 'open'))).toEqual(['left']);
  });
});
