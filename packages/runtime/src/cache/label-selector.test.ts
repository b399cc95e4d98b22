import { expect, it } from 'vitest';
import { selects } from './label-selector.ts';

const labels = { app: 'web', tier: 'a', empty: '', 'example.com/team': 'blue' };

it.each([
  '',
  'app',
  'app=web',
  'app==web',
  ' app = web ',
  'app=web,tier=a',
  'app!=db',
  'colour!=red',
  'tier in (a,b)',
  'tier in ( b , a ),app',
  'tier notin (b,c)',
  'colour notin (red)',
  '!colour',
  'empty=',
  'empty',
  'example.com/team=blue',
])('%j selects it', (selector) => {
  expect(selects(selector, labels)).toBe(true);
});

it.each([
  'colour',
  'app=db',
  'app=web,tier=b',
  'app!=web',
  'tier in (b,c)',
  'tier notin (a)',
  '!app',
  'app=',
  'colour=',
])('%j does not select it', (selector) => {
  expect(selects(selector, labels)).toBe(false);
});

it.each(['replicas>3', 'a b', 'in (a)', 'app=web,', 'tier in (a', '=web'])('%j is left to the server', (selector) => {
  expect(selects(selector, labels)).toBeUndefined();
});

it('selects nothing by a label where there are none', () => {
  expect(selects('app')).toBe(false);
  expect(selects('!app')).toBe(true);
});
