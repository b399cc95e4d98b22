import { expect, it } from 'vitest';
import { surplusOf } from './surplus.ts';

it('is what others have put into a field that is to be exact', () => {
  const live = { data: { ours: '1', theirs: '2' }, labels: { any: '3' } };
  expect(surplusOf(live, { data: { ours: '1' } }, ['data'])).toEqual({ data: { theirs: null } });
  expect(surplusOf(live, {}, ['data'])).toEqual({ data: { ours: null, theirs: null } });
});

it('is nothing where nobody has, or nobody minds', () => {
  const live = { data: { ours: '1' }, spec: 5 };
  expect(surplusOf(live, { data: { ours: '1' } }, ['data', 'spec', 'missing'])).toBeUndefined();
  expect(surplusOf(live, {}, [])).toBeUndefined();
});
