import { LiveArea } from '@kurator/command';
import { expect, it } from 'vitest';
import { createView, reconciledText } from './view.ts';

const reconcile = { kind: 'MyApp', key: 'default/web', outcome: 'success', milliseconds: 12.3, why: ['is new'] };
const now = () => new Date(Date.UTC(2026, 0, 1, 12, 34, 56));

it('says what was reconciled, how long it took and why', () => {
  expect(reconciledText(reconcile)).toBe('MyApp default/web reconciled in 12 ms (is new)');
});

it('says what failed, and when it is tried again', () => {
  const failed = { ...reconcile, outcome: 'error', againInSeconds: 1.52, error: 'no luck' };
  expect(reconciledText(failed)).toBe('MyApp default/web failed in 12 ms, again in 1.5 s (is new): no luck');
});

it('writes plain lines where there is no terminal', () => {
  let text = '';
  const view = createView(new LiveArea({ write: (more: string) => (text += more) }), 'web', now);
  view.show({ report: 'reconciled', ...reconcile });
  view.close();
  expect(text).toBe('12:34:56 MyApp default/web reconciled in 12 ms (is new)\n');
});

it('keeps a line up to date on a terminal that sums up', () => {
  let text = '';
  const view = createView(
    new LiveArea({ isTTY: true, columns: 80, write: (more: string) => (text += more) }, {}),
    'web',
    now,
  );
  view.show({ report: 'reconciled', ...reconcile, outcome: 'permanent', error: 'bad' });
  expect(text).toContain('web: 1 reconciles, 1 failing');
  view.show({ report: 'reconciled', ...reconcile });
  expect(text).toMatch(/web: 2 reconciles, 0 failing; Ctrl-C ends it$/);
});
