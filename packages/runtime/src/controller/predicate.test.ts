import { ConfigMap, type ObjectMeta } from '@kurator/client';
import { describe, expect, it } from 'vitest';
import { memoryCache } from '../../test/support/memory-cache.ts';
import type { CacheChange } from '../cache/object-cache.ts';
import {
  allOf,
  annotationsChanged,
  anyOf,
  generationChanged,
  labelsChanged,
  not,
  type Predicate,
} from './predicate.ts';

/** What a predicate says of an addition, of an update from one metadata to another, and of a deletion. */
function judge(predicate: Predicate, before: Partial<ObjectMeta>, after: Partial<ObjectMeta>) {
  const cache = memoryCache(ConfigMap);
  const verdicts: Partial<Record<CacheChange<ConfigMap>['type'], boolean>> = {};
  cache.listen((change) => {
    verdicts[change.type] = predicate(change);
  });
  const named = { namespace: 'n', name: 'a' };
  cache.put({ metadata: { ...named, ...before } });
  cache.put({ metadata: { ...named, ...after } });
  cache.remove('n/a');
  return verdicts;
}

const updates = (predicate: Predicate, before: Partial<ObjectMeta>, after: Partial<ObjectMeta>) =>
  judge(predicate, before, after).updated;

describe('predicates', () => {
  it.each(Object.entries({ generationChanged, labelsChanged, annotationsChanged }))(
    '%s lets additions and deletions pass',
    (_, predicate) => {
      expect(judge(predicate, { generation: 1 }, { generation: 1 })).toEqual({
        added: true,
        updated: false,
        deleted: true,
      });
    },
  );

  it('generationChanged sees a new spec, and not a new status', () => {
    expect(updates(generationChanged, { generation: 1 }, { generation: 2 })).toBe(true);
    expect(updates(generationChanged, { generation: 1 }, { generation: 1, labels: { a: 'b' } })).toBe(false);
  });

  it('generationChanged lets everything pass for kinds that have no generation', () => {
    expect(updates(generationChanged, {}, {})).toBe(true);
  });

  it('generationChanged never hides the steps of a deletion', () => {
    const deleting = { generation: 1, deletionTimestamp: '2026-01-01T00:00:00Z' };
    expect(updates(generationChanged, { generation: 1 }, deleting)).toBe(true);
    const withTwo = { ...deleting, finalizers: ['a/b', 'c/d'] };
    const withOne = { ...deleting, finalizers: ['a/b'] };
    expect(updates(generationChanged, withTwo, withOne)).toBe(true);
    expect(updates(generationChanged, withOne, withOne)).toBe(false);
  });

  it.each([
    [labelsChanged, 'labels'],
    [annotationsChanged, 'annotations'],
  ] as const)('sees each change of the texts, and nothing else (%#)', (predicate, field) => {
    const changes: [Record<string, string> | undefined, Record<string, string> | undefined, boolean][] = [
      [undefined, { a: '1' }, true],
      [{ a: '1' }, undefined, true],
      [{ a: '1' }, { a: '2' }, true],
      [{ a: '1' }, { b: '1' }, true],
      [{ a: '1', b: '2' }, { b: '2', a: '1' }, false],
      [undefined, {}, false],
    ];
    for (const [before, after, changed] of changes) {
      const meta = (texts: Record<string, string> | undefined) => (texts ? { [field]: texts } : {});
      expect(updates(predicate, meta(before), meta(after))).toBe(changed);
    }
  });

  it('can be combined', () => {
    const never = not(anyOf(generationChanged, () => true));
    expect(updates(anyOf(never, labelsChanged), {}, { labels: { a: 'b' } })).toBe(true);
    expect(updates(allOf(never, labelsChanged), {}, { labels: { a: 'b' } })).toBe(false);
    expect(updates(not(labelsChanged), { generation: 1 }, { generation: 2 })).toBe(true);
  });
});
