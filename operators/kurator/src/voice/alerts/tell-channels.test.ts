import { describe, expect, it } from 'vitest';
import { anAlert } from '../../../test/support/alerting/an-alert.ts';
import type { AlertChannel } from '../../resources/alert-channel.ts';
import type { Kurator } from '../../resources/kurator.ts';
import { outboxOf, put } from './outbox.ts';
import { addresseesOf, wants } from './tell-channels.ts';

const channel = (name: string, spec: Partial<AlertChannel['spec']> = {}, namespace = 'shop') =>
  ({ metadata: { name, namespace }, spec: { minSeverity: 'info', default: false, ...spec } }) as AlertChannel;
const kurator = (...channels: string[]) =>
  ({ metadata: { name: 'web', namespace: 'shop' }, spec: { alerts: { channels } } }) as unknown as Kurator;

describe('the channels of a service', () => {
  const all = [channel('a'), channel('b', { default: true }), channel('b', { default: true }, 'bank'), channel('c')];

  it('are those that it names, in its own namespace alone', () => {
    expect(addresseesOf(kurator('c', 'b'), all).channels).toEqual([all[3], all[1]]);
  });

  it('are the default ones of its namespace if it names none', () => {
    expect(addresseesOf(kurator(), all)).toEqual({ channels: [all[1]], missing: [] });
  });

  it('are told from those that nobody has made', () => {
    expect(addresseesOf(kurator('a', 'x'), all)).toEqual({ channels: [all[0]], missing: ['x'] });
  });
});

describe('a channel', () => {
  const nothing = outboxOf({});
  it.each([
    ['info', ['info', 'warning', 'resolved', 'page']],
    ['warning', ['warning', 'resolved', 'page']],
    ['page', ['page']],
  ] as const)('from %s on wants %j', (minSeverity, wanted) => {
    const severities = ['info', 'warning', 'resolved', 'page'] as const;
    const taken = severities.filter((severity) => wants(channel('a', { minSeverity }), nothing, anAlert({ severity })));
    expect(taken).toEqual(wanted);
  });

  it('that has called somebody also says that it is over', () => {
    const paged = put(nothing, anAlert({ severity: 'page' }), '2026-01-01T12:00:00.000Z');
    const over = anAlert({ severity: 'resolved', status: 'resolved' });
    expect(wants(channel('a', { minSeverity: 'page' }), paged, over)).toBe(true);
    expect(wants(channel('a', { minSeverity: 'page' }), paged, { ...over, thread: '1f9c2a7e/shop/web#2' })).toBe(false);
  });
});
