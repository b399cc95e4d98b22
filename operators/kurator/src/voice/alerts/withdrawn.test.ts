import { describe, expect, it } from 'vitest';
import { anAlert } from '../../../test/support/alerting/an-alert.ts';
import type { AlertChannel } from '../../resources/alert-channel.ts';
import { few, take } from './digest.ts';
import { outboxOf, put } from './outbox.ts';
import { openThreads, originOf, withdrawn } from './withdrawn.ts';

const others = (service: string) => [{ name: `all but ${service}`, state: 'healthy' }];
const at = '2026-01-01T12:00:00.000Z';
const channel = { metadata: { name: 'hook', uid: 'c' }, spec: { minSeverity: 'page' } } as unknown as AlertChannel;
const page = (service: string) => {
  const thread = `1f9c2a7e/shop/${service}#1`;
  return anAlert({ id: `${thread}/1`, thread, service, group: 'network', severity: 'page' });
};

describe('the end of a thread whose Kurator is gone', () => {
  it('is told once, under the thread and the incident that were opened', () => {
    const opened = page('web');
    const before = put(outboxOf({}), opened, at);
    const once = withdrawn(before, channel, openThreads(before), at, others);
    expect(once.waiting.at(-1)?.alert).toMatchObject({
      status: 'resolved',
      thread: opened.thread,
      incident: opened.incident,
      namespace: 'shop',
      service: 'web',
      others: others('shop/web'),
    });
    expect(openThreads(once)).toEqual([]);
    expect(withdrawn(once, channel, [opened.thread], at, others)).toBe(once);
  });

  it('counts in the digest that has gathered it', () => {
    const services = Array.from({ length: few + 2 }, (_, n) => `s${n}`);
    const outbox = services.map(page).reduce((box, alert) => take(box, channel, alert, at), outboxOf({}));
    expect(openThreads(outbox)).toHaveLength(services.length);
    const after = withdrawn(outbox, channel, openThreads(outbox), at, others);
    expect(openThreads(after)).toEqual([]);
    expect(after.digests[0]?.members.every(({ isWell }) => isWell)).toBe(true);
  });
});

it('a thread says whose it is', () => {
  expect(originOf('1f9c2a7e/shop/web#12')).toEqual({ namespace: 'shop', name: 'web', uid: '1f9c2a7e' });
});
