import { expect, it } from 'vitest';
import { noticeOf } from './switch.ts';

it.each([
  ['the switch is on', { mode: 'On' as const }, undefined],
  ['there is none', undefined, undefined],
])('says nothing where %s', (_, spec, expected) => {
  expect(noticeOf(spec)).toBe(expected);
});

it('says that nothing is repaired, who has set it so and why; and nothing that a terminal would obey', () => {
  expect(noticeOf({ mode: 'Off', by: 'alice', reason: 'an upgrade' })).toBe(
    'The switch of the cluster is Off, set by alice (an upgrade): nothing is begun any more, for no service; ' +
      '`kurator resume --everything` turns it on again.',
  );
  expect(noticeOf({ mode: 'Observe', by: '\x1b[2J' })).not.toContain('\x1b');
});
