import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonPatch, type PatchOperation } from './json-patch.ts';

it('says nothing about what stays', () => {
  const pod = { metadata: { name: 'a' }, spec: { containers: [{ name: 'x', image: 'one' }] } };
  expect(jsonPatch(pod, structuredClone(pod))).toEqual([]);
  expect(jsonPatch(pod, { ...pod, spec: { containers: [{ name: 'x', image: 'two' }] } })).toEqual([
    { op: 'replace', path: '/spec/containers/0/image', value: 'two' },
  ]);
});

it.each([
  { what: 'an item at the end', before: [1, 2], after: [1, 2, 3], patch: [{ op: 'add', path: '/2', value: 3 }] },
  { what: 'an item at the start', before: [1, 2], after: [0, 1, 2], patch: [{ op: 'add', path: '/0', value: 0 }] },
  { what: 'an item gone from the middle', before: [1, 2, 3], after: [1, 3], patch: [{ op: 'remove', path: '/1' }] },
  {
    what: 'two items gone, the last first',
    before: [1, 2, 3, 4],
    after: [1],
    patch: ['/3', '/2', '/1'].map((path) => ({ op: 'remove', path })),
  },
  { what: 'a field', before: {}, after: { 'a/b~c': 1 }, patch: [{ op: 'add', path: '/a~1b~0c', value: 1 }] },
  {
    what: 'a field that became undefined',
    before: { a: 1 },
    after: { a: undefined },
    patch: [{ op: 'remove', path: '/a' }],
  },
  {
    what: 'null, which is a value',
    before: { a: 1 },
    after: { a: null },
    patch: [{ op: 'replace', path: '/a', value: null }],
  },
  {
    what: 'a list that became an object',
    before: { a: [] },
    after: { a: {} },
    patch: [{ op: 'replace', path: '/a', value: {} }],
  },
])('tells of $what in as few words as possible', ({ before, after, patch }) => {
  expect(jsonPatch(before, after)).toEqual(patch);
});

/** Few names and values, so that two of them have much in common. */
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, 1, '', 'x'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'a/b', '~', '0', '-'), tie('value')),
  ),
})).value;

it('turns any value into any other', () => {
  fc.assert(
    fc.property(json, json, (before, after) => {
      expect(applied(before, jsonPatch(before, after))).toEqual(after);
    }),
    { numRuns: 2_000 },
  );
});

it('is empty for the same value only', () => {
  fc.assert(
    fc.property(json, json, (before, after) => {
      const same = JSON.stringify(sorted(before)) === JSON.stringify(sorted(after));
      expect(jsonPatch(before, after).length === 0).toBe(same);
    }),
  );
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, field]) => [name, sorted(field)]),
  );
}

/** RFC 6902 by the letter: what doesn't exist can't be replaced or removed. */
function applied(document: unknown, patch: readonly PatchOperation[]): unknown {
  const root = { document: structuredClone(document) };
  for (const operation of patch) {
    const steps = ['document', ...operation.path.split('/').slice(1)].map((step) =>
      step.replaceAll('~1', '/').replaceAll('~0', '~'),
    );
    const last = steps.pop() as string;
    const parent = steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], root);
    perform(operation, parent as Record<string, unknown>, last);
  }
  return root.document;
}

function perform(operation: PatchOperation, parent: Record<string, unknown> | unknown[], name: string): void {
  const exists = Object.hasOwn(parent, name);
  if (operation.op !== 'add' && !exists) throw new Error(`${operation.op} of what is not there: ${operation.path}`);
  if (Array.isArray(parent)) {
    if (operation.op === 'remove') parent.splice(Number(name), 1);
    else parent.splice(Number(name), operation.op === 'add' ? 0 : 1, operation.value);
    if (Number(name) > parent.length) throw new Error(`past the end: ${operation.path}`);
  } else if (operation.op === 'remove') delete parent[name];
  else parent[name] = operation.value;
}
