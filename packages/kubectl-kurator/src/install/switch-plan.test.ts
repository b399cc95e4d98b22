import { expect, it } from 'vitest';
import { planSwitch } from './switch-plan.ts';

const nothing = { wanted: undefined, live: undefined, before: undefined };

it('begins with Observe, or with what is wanted', () => {
  expect(planSwitch(nothing)).toMatchObject({ first: 'Observe', mode: 'Observe' });
  const on = planSwitch({ ...nothing, wanted: 'On' });
  expect(on).toMatchObject({ first: 'On', text: expect.stringContaining('repairs from the first moment') });
  expect(on.to).toBeUndefined();
});

it('says what a switch of an earlier installation is, and turns it where told', () => {
  const live = { mode: 'On', by: 'ann' } as const;
  const kept = planSwitch({ ...nothing, live });
  expect(kept).toMatchObject({
    first: 'On',
    text: expect.stringMatching(/is On, set by ann, and stays.*--observe/),
  });
  expect(kept.to).toBeUndefined();
  const turned = planSwitch({ ...nothing, live, wanted: 'Observe' });
  expect(turned).toMatchObject({
    first: 'Observe',
    to: 'Observe',
    isFirst: true,
    text: expect.stringContaining('On, set by ann → Observe'),
  });
});

it('leaves the installation’s wish as it was in an upgrade', () => {
  const before = { first: 'Observe' };
  expect(planSwitch({ ...nothing, before, wanted: 'On' })).toMatchObject({ first: 'Observe', to: 'On' });
  expect(planSwitch({ ...nothing, before, live: { mode: 'On' }, wanted: 'On' }).to).toBeUndefined();
  expect(planSwitch({ ...nothing, before: { first: undefined } })).toMatchObject({ first: undefined, mode: 'On' });
});
