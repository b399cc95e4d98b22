import type { ConfigMap } from '@kurator/client';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyOf } from '../object-key.ts';
import { ObjectTable } from './object-table.ts';
import { RawObject } from './raw-object.ts';

const configMap = (name: string, version: number, data: Record<string, string> = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'n', resourceVersion: String(version) },
  data,
});
const raw = (object: ConfigMap) => RawObject.fromObject(object);

describe('ObjectTable', () => {
  it('ignores what it knows already, and what is older than that', () => {
    const table = new ObjectTable<ConfigMap>();
    const [old, current] = [configMap('a', 9), configMap('a', 10)];
    expect(table.put(raw(current))?.type).toBe('added');
    expect(table.put(raw(current))).toBeUndefined();
    expect(table.put(raw(old))).toBeUndefined();
    expect(table.remove('n/a', '9')).toBeUndefined();
    expect(table.get({ name: 'a', namespace: 'n' })).toEqual(current);
  });

  it('gives the object before and after a change', () => {
    const table = new ObjectTable<ConfigMap>();
    const [first, second] = [configMap('a', 1, { n: '1' }), configMap('a', 2, { n: '2' })];
    table.put(raw(first));
    const change = table.put(raw(second));
    expect([change?.previous(), change?.object()]).toEqual([first, second]);
    const deletion = table.remove('n/a', '3');
    expect([deletion?.type, deletion?.object()]).toEqual(['deleted', second]);
  });

  it('does not let a late answer to a write bring a deleted object back', () => {
    const table = new ObjectTable<ConfigMap>();
    const written = configMap('a', 5);
    table.put(raw(configMap('a', 4)));
    table.remove('n/a', '6');
    expect(table.putWritten(written)).toBeUndefined();
    expect(table.putWritten(configMap('a', 7))?.type).toBe('added');
  });

  it('keeps an object of which an index can make nothing, finds it by the other indexes, and says so', () => {
    const failures: string[] = [];
    const indexes = new Map([
      ['length', (object: RawObject<ConfigMap>) => [String(object.object().data?.colour?.length)]],
      ['first', (object: RawObject<ConfigMap>) => [(object.object().data as { colour: string }).colour.charAt(0)]],
    ]);
    const table = new ObjectTable<ConfigMap>(indexes, (index, key) => failures.push(`${index} ${key}`));
    table.put(raw(configMap('a', 1, { colour: 'red' })));
    expect(table.put(raw(configMap('a', 2, {})))?.type).toBe('updated');
    expect(failures).toEqual(['first n/a']);
    expect(table.get({ name: 'a', namespace: 'n' })?.metadata.resourceVersion).toBe('2');
    expect(table.byIndex('length', 'undefined')).toHaveLength(1);
    expect(table.byIndex('first', 'r')).toEqual([]);
    expect(table.put(raw(configMap('a', 3, { colour: 'blue' })))?.type).toBe('updated');
    expect(table.byIndex('first', 'b')).toHaveLength(1);
  });

  it('lists by labels what a look at each object would', () => {
    // No name that is a backslash: after such an object V8 13.6 reads the next one's name '"' as a backslash too.
    const names = ['a', 'b', 'app.kubernetes.io/name', '"', 'é', ''];
    const labels = fc.dictionary(fc.constantFrom(...names), fc.constantFrom(...names, '\\'), { maxKeys: 3 });
    fc.assert(
      fc.property(fc.array(labels, { maxLength: 6 }), labels, fc.boolean(), (all, query, escaped) => {
        const table = new ObjectTable<ConfigMap>();
        for (const [i, own] of all.entries()) {
          const object = configMap(`o${i}`, i + 1, { other: JSON.stringify(query) });
          object.metadata.labels = own;
          const json = JSON.stringify(object);
          // Some servers write a slash like this; it is the same.
          const bytes = Buffer.from(escaped ? json.replaceAll('/', '\\/') : json);
          table.put(RawObject.fromJson<ConfigMap>(object.metadata, bytes));
        }
        const matching = all.flatMap((own, i) =>
          Object.entries(query).every(([name, value]) => Object.hasOwn(own, name) && own[name] === value)
            ? [`o${i}`]
            : [],
        );
        expect(table.list({ labels: query }).map(({ metadata }) => metadata.name)).toEqual(matching);
      }),
    );
  });

  it('parses none that has not the labels that are asked for', () => {
    const table = new ObjectTable<ConfigMap>();
    const unreadable = configMap('b', 2);
    table.put(RawObject.fromJson<ConfigMap>(unreadable.metadata, Buffer.from('{ "metadata": what would fail')));
    const labelled = { ...configMap('a', 1).metadata, labels: { app: 'web' } };
    table.put(RawObject.fromJson<ConfigMap>(labelled, Buffer.from(JSON.stringify({ metadata: labelled }))));
    expect(table.list({ labels: { app: 'web' } }).map(({ metadata }) => metadata.name)).toEqual(['a']);
    expect(() => table.list()).toThrow(SyntaxError);
  });

  it('agrees with a simple model, indexes included, after any history', () => {
    const fact = fc.record({
      name: fc.constantFrom('a', 'b', 'c'),
      colour: fc.constantFrom('red', 'blue', ''),
      deleted: fc.boolean(),
      lateBy: fc.nat(3),
    });
    fc.assert(
      fc.property(fc.array(fact, { maxLength: 60 }), (facts) => {
        const table = new ObjectTable<ConfigMap>(new Map([['colour', (object) => coloursOf(object.object())]]));
        const model = new Map<string, ConfigMap>();
        for (const [i, { name, colour, deleted, lateBy }] of facts.entries()) {
          const object = configMap(name, 10 + i - lateBy, { colour });
          if (deleted) table.remove(keyOf(object), object.metadata.resourceVersion);
          else table.put(raw(object));
          takeIntoModel(model, object, deleted);
        }
        expect(byName(table.list())).toEqual(byName(model.values()));
        for (const colour of ['red', 'blue']) {
          const expected = [...model.values()].filter(({ data }) => data?.colour === colour);
          expect(byName(table.byIndex('colour', colour))).toEqual(byName(expected));
        }
      }),
    );
  });
});

const coloursOf = ({ data }: ConfigMap) => (data?.colour ? [data.colour] : []);
const byName = (objects: Iterable<ConfigMap>) =>
  [...objects].sort((x, y) => (x.metadata.name < y.metadata.name ? -1 : 1));

/** The newest fact counts; of two with one version, the deletion. */
function takeIntoModel(model: Map<string, ConfigMap>, object: ConfigMap, deleted: boolean): void {
  const { name, resourceVersion } = object.metadata;
  const known = Number(model.get(name)?.metadata.resourceVersion ?? 0);
  if (deleted && Number(resourceVersion) >= known) model.delete(name);
  if (!deleted && Number(resourceVersion) > known) model.set(name, object);
}
