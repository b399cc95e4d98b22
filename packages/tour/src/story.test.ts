import type { Incident } from '@kurator/kubectl-kurator';
import { describe, expect, it } from 'vitest';
import { causeOf, happenings } from './story.ts';

const at = (seconds: number) => 1_000_000 + seconds * 1000;

function incident(memory: object, cause = 'hang'): Incident {
  return {
    metadata: { name: 'cart-1', namespace: 'shop' },
    spec: { service: 'cart', startedAt: new Date(at(0)).toISOString() },
    status: { cause, memory: { transitions: [], attempts: [], notices: [], ...memory } },
  } as unknown as Incident;
}

const change = (seq: number, seconds: number, to: string, reason: string) => ({ seq, at: at(seconds), to, reason });

describe('the story of an incident', () => {
  it('tells what was seen, who was told and what was done, in the order in which it happened', () => {
    const told = happenings(
      incident({
        transitions: [
          change(1, 1, 'suspected', 'cart-a: check health failed once'),
          change(2, 3, 'confirmed', 'it hangs'),
          change(3, 3.1, 'tellingDependants', 'front depends on it'),
          change(4, 3.2, 'repairing', 'replace'),
          change(5, 3.4, 'verifying', 'done: replace cart-a: it hangs'),
          change(6, 6, 'recovered', 'well again after replace'),
        ],
        notices: [{ id: 'n1', at: at(3.1), to: 'shop/front', reason: 'shop/cart fails' }],
        attempts: [{ actions: [{ id: 'a1', reason: 'replace cart-a: it hangs', intendedAt: at(3.2) }] }],
      }),
    );
    expect(told.map(({ word, text }) => `${word} ${text}`)).toEqual([
      'suspects cart: cart-a: check health failed once',
      'finds cart: it hangs',
      'tells front: cart fails',
      'repairs cart: replace cart-a: it hangs',
      'verifies cart: done; now to see whether it helped',
      'well cart: well again after replace',
    ]);
  });

  it('says of one that waits for what it depends on only that', () => {
    const told = happenings(
      incident({
        transitions: [
          change(1, 3, 'confirmed', 'something that it depends on is in trouble'),
          change(2, 3, 'waitingForDependency', 'shop/database is in trouble itself'),
        ],
      }),
    );
    expect(told.map(({ word, text }) => `${word} ${text}`)).toEqual(['waits cart: database is in trouble itself']);
  });

  it('calls the same thing by the same name however often it is looked at, so that it is told once', () => {
    const transitions = [change(1, 1, 'suspected', 'a'), change(2, 3, 'confirmed', 'b')];
    const [first] = happenings(incident({ transitions: transitions.slice(0, 1) }));
    const again = happenings(incident({ transitions }));
    expect(again.map(({ id }) => id)).toEqual([first?.id, 'cart-1/stage 2']);
  });

  it('has nothing to tell of one without a record', () => {
    expect(happenings({ metadata: {}, spec: {} } as Incident)).toEqual([]);
  });

  it('names the cause in words', () => {
    expect(causeOf(incident({}))).toBe('it hangs: the port is open, nothing answers');
  });
});
