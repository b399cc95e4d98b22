import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonObject, sameJson } from './json.ts';
import { type Operation, statusOperations } from './status-operations.ts';

const now = Date.UTC(2026, 0, 1);
const ready = { type: 'Ready', status: 'True', reason: 'Up' };

/** What a server does with the operations. */
function patched(status: JsonObject | undefined, operations: readonly Operation[]): unknown {
  const object: Record<string, Record<string, unknown> | undefined> = status ? { status: { ...status } } : {};
  for (const operation of operations) {
    const [, root = '', name] = operation.path
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    const parent = name === undefined ? object : (object[root] ?? expect.unreachable('the parent must be there'));
    const field = name ?? root;
    if (operation.op === 'test') expect(parent[field] ?? null).toEqual(operation.value);
    if (operation.op === 'add') parent[field] = operation.value as never;
    if (operation.op === 'remove') {
      expect(parent).toHaveProperty([field]);
      delete parent[field];
    }
  }
  return object.status;
}

describe('statusOperations', () => {
  it('sends nothing where nothing changes', () => {
    expect(statusOperations({ ready: true, n: { a: [1] } }, { n: { a: [1] }, ready: true }, 1, now)).toEqual([]);
    expect(statusOperations(undefined, {}, 1, now)).toEqual([]);
    expect(statusOperations(undefined, { gone: undefined, none: null }, 1, now)).toEqual([]);
    expect(statusOperations({ n: {} }, { n: { gone: null } }, 1, now)).toEqual([]);
  });

  it('sends only what changes, and removes what is not wanted any more', () => {
    expect(statusOperations({ a: 1, b: { c: 1 }, e: 1 }, { a: 1, b: { c: 2 }, f: [1] }, 1, now)).toEqual([
      { op: 'add', path: '/status/b', value: { c: 2 } },
      { op: 'add', path: '/status/f', value: [1] },
      { op: 'remove', path: '/status/e' },
    ]);
  });

  it('does not overwrite the first status of somebody who was quicker', () => {
    expect(statusOperations(undefined, { ready: true }, 1, now)[0]).toEqual({
      op: 'test',
      path: '/status',
      value: null,
    });
  });

  it('turns any status into any other', () => {
    const name = fc.constantFrom('a', 'b', 'with/slash', 'with~tilde');
    const { object } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 2 }, fc.integer(), fc.string(), fc.array(fc.integer()), tie('object')),
      object: fc.dictionary(name, tie('value')),
    })) as { object: fc.Arbitrary<JsonObject> };
    fc.assert(
      fc.property(fc.option(object, { nil: undefined }), object, (current, wanted) => {
        const operations = statusOperations(current, wanted, 1, now);
        expect(operations.length === 0).toBe(sameJson(current ?? {}, wanted));
        expect(patched(current, operations) ?? {}).toEqual(wanted);
      }),
    );
  });

  it('gives conditions their time and generation, and then leaves them alone', () => {
    const wanted = { ready: true, conditions: [ready] };
    const status = patched({}, statusOperations({}, wanted, 3, now));
    expect(status).toEqual({
      ready: true,
      conditions: [{ ...ready, message: '', lastTransitionTime: '2026-01-01T00:00:00Z', observedGeneration: 3 }],
    });
    expect(statusOperations(status as JsonObject, wanted, 3, now + 60_000)).toEqual([]);
  });

  it('keeps the conditions of others, as long as they are what was seen', () => {
    const theirs = { type: 'Theirs', status: 'True', reason: 'X' };
    const current = { conditions: [theirs] };
    expect(statusOperations(current, { ready: true }, 1, now)).toEqual([
      { op: 'add', path: '/status/ready', value: true },
    ]);
    const [test, add] = statusOperations(current, { conditions: [ready] }, 1, now);
    expect(test).toEqual({ op: 'test', path: '/status/conditions', value: [theirs] });
    expect(add).toMatchObject({ value: [theirs, { type: 'Ready' }] });
  });

  it('refuses conditions that break the conventions', () => {
    const wanted = { conditions: [{ ...ready, reason: 'not one word' }] };
    expect(() => statusOperations(undefined, wanted, 1, now)).toThrow('breaks the API conventions');
  });
});
