import { expect, it } from 'vitest';
import { selectorText } from './label-selector.ts';

it('writes selectors as requests do', () => {
  const matchExpressions = [
    { key: 'tier', operator: 'In', values: ['a', 'b'] },
    { key: 'old', operator: 'DoesNotExist' },
  ];
  expect(selectorText({ matchLabels: { app: 'web' }, matchExpressions } as never)).toBe('app=web,tier in (a,b),!old');
  expect(selectorText()).toBe('');
});
