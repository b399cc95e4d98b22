import { expect, it } from 'vitest';
import { extraFieldsPatch } from './apply-children.ts';

it('is what others have put into a field that is to be exact', () => {
  const live = { data: { ours: '1', theirs: '2' }, labels: { any: '3' } };
  expect(extraFieldsPatch(live, { data: { ours: '1' } }, ['data'])).toEqual({ data: { theirs: null } });
  expect(extraFieldsPatch(live, {}, ['data'])).toEqual({ data: { ours: null, theirs: null } });
});

it('is nothing where nobody has, or nobody minds', () => {
  const live = { data: { ours: '1' }, spec: 5 };
  expect(extraFieldsPatch(live, { data: { ours: '1' } }, ['data', 'spec', 'missing'])).toBeUndefined();
  expect(extraFieldsPatch(live, {}, [])).toBeUndefined();
});
