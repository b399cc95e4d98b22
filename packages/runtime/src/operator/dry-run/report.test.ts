import { expect, it } from 'vitest';
import { mergeChanges, type PlannedChange } from './report.ts';

const change = (action: PlannedChange['action'], key: string, path: string): PlannedChange => ({
  action,
  apiVersion: 'v1',
  kind: 'ConfigMap',
  key,
  for: 'Garden default/rose',
  fields: [{ path, before: 1, after: 2 }],
});

it('lists what is changed and deleted as deleted, and once', () => {
  const merged = mergeChanges([change('update', 'default/a', 'data'), change('delete', 'default/a', 'metadata')]);
  expect(merged.map(({ action, fields }) => [action, fields.map(({ path }) => path)])).toEqual([
    ['delete', ['data', 'metadata']],
  ]);
});

it('lists what is made and then changed as made', () => {
  const merged = mergeChanges([change('create', 'default/a', 'data'), change('update', 'default/a', 'metadata')]);
  expect(merged.map(({ action }) => action)).toEqual(['create']);
});
