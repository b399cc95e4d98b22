import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conditionOf, setCondition } from './condition.ts';

const noon = Date.UTC(2026, 0, 1, 12, 0, 0, 750);
const later = noon + 60_000;
const ready = { type: 'Ready', status: 'True', reason: 'Up', message: 'all is well' } as const;

describe('setCondition', () => {
  it('says when, for which generation, and why', () => {
    expect(setCondition(undefined, ready, 3, noon)).toEqual([
      { ...ready, lastTransitionTime: '2026-01-01T12:00:00Z', observedGeneration: 3 },
    ]);
  });

  it('keeps the time unless the status changes', () => {
    const before = setCondition([], ready, 1, noon);
    const again = setCondition(before, { ...ready, reason: 'StillUp', message: 'as before' }, 2, later);
    expect(again).toEqual([
      {
        ...ready,
        reason: 'StillUp',
        message: 'as before',
        lastTransitionTime: '2026-01-01T12:00:00Z',
        observedGeneration: 2,
      },
    ]);
    const down = setCondition(again, { ...ready, status: 'False', reason: 'Down' }, 2, later);
    expect(down[0]?.lastTransitionTime).toBe('2026-01-01T12:01:00Z');
  });

  it('gives the same list back when nothing changes, and never touches the one it was given', () => {
    const before = Object.freeze(setCondition([], ready, 1, noon));
    expect(setCondition(before, ready, 1, later)).toBe(before);
    expect(setCondition(before, { ...ready, message: 'new' }, 1, later)).not.toBe(before);
    expect(before[0]?.message).toBe('all is well');
  });

  it('leaves the other conditions where they are', () => {
    const other = { type: 'Synced', status: 'True' } as const;
    const list = setCondition(
      setCondition([other], ready, 1, noon),
      { ...ready, status: 'False', reason: 'Down' },
      1,
      noon,
    );
    expect(list.map(({ type, status }) => `${type}=${status}`)).toEqual(['Synced=True', 'Ready=False']);
    expect(list[0]).toBe(other);
    expect(conditionOf(list, 'Ready')?.reason).toBe('Down');
    expect(conditionOf(undefined, 'Ready')).toBeUndefined();
  });

  it('cuts off a message that is too long for the API', () => {
    expect(setCondition([], { ...ready, message: 'x'.repeat(100_000) }, 1)[0]?.message).toHaveLength(32_768);
  });

  it.each([
    [{ type: 'not ok' }, 'type "not ok"'],
    [{ type: '' }, 'type ""'],
    [{ reason: '' }, 'reason "" of Ready'],
    [{ reason: 'has spaces' }, 'reason "has spaces" of Ready'],
    [{ reason: '1st' }, 'reason "1st" of Ready'],
    [{ status: 'true' as never }, 'status "true" of Ready'],
  ])('refuses what the API conventions forbid: %j', (wrong, message) => {
    expect(() => setCondition([], { ...ready, ...wrong }, 1)).toThrow(
      expect.objectContaining({ code: 'KUR_RUNTIME_BAD_CONDITION', message: expect.stringContaining(message) }),
    );
  });

  it('has one condition a type, whose time is that of its last change of status, after any claims', () => {
    const claim = fc.record({
      type: fc.constantFrom('Ready', 'Synced', 'example.com/Happy'),
      status: fc.constantFrom('True', 'False', 'Unknown'),
      reason: fc.constantFrom('A', 'B'),
    });
    fc.assert(
      fc.property(fc.array(claim), (claims) => {
        const since = new Map<string, { status: string; at: number }>();
        let list: ReturnType<typeof setCondition> = [];
        for (const [i, claim] of claims.entries()) {
          const at = noon - 750 + i * 1000;
          list = setCondition(list, claim as never, i, at);
          if (since.get(claim.type)?.status !== claim.status) since.set(claim.type, { status: claim.status, at });
        }
        expect(
          list.map(({ type, status, lastTransitionTime }) => [type, status, Date.parse(lastTransitionTime ?? '')]),
        ).toEqual(Array.from(since, ([type, { status, at }]) => [type, status, at]));
      }),
    );
  });
});
