import { describe, expect, it } from 'vitest';
import { countedBetween, serverCounters } from './server-counters.ts';

const request = (labels: Record<string, string>, count: number) => {
  const all = { code: '200', group: 'example.com', resource: 'echoes', subresource: '', verb: 'PATCH', ...labels };
  const text = Object.entries(all).map(([name, value]) => `${name}="${value}"`);
  return `apiserver_request_total{${text.join(',')}} ${count}`;
};
const events = (resource: string, count: number) =>
  `apiserver_watch_cache_events_received_total{group="",resource="${resource}"} ${count}`;

describe('serverCounters', () => {
  it('counts what was written of the kinds asked for, in whichever way', () => {
    const text = [
      '# HELP apiserver_request_total Counter of apiserver requests',
      request({ verb: 'POST', code: '201' }, 1),
      request({ verb: 'APPLY' }, 2),
      request({ verb: 'PUT', subresource: 'status' }, 4),
      request({ verb: 'DELETE', resource: 'configmaps' }, 8),
      request({ verb: 'LIST' }, 100),
      request({ verb: 'PUT', resource: 'leases' }, 1000),
      request({ code: '500' }, 10_000),
    ].join('\n');
    expect(serverCounters(text, ['echoes', 'configmaps']).writes).toBe(15);
  });

  it('tells conflicts about a status from others', () => {
    const text = [request({ code: '409' }, 1), request({ code: '409', subresource: 'status' }, 2)].join('\n');
    expect(serverCounters(text, ['echoes'])).toMatchObject({ conflicts: 3, statusConflicts: 2, writes: 0 });
  });

  it('counts events, also in the form of large numbers', () => {
    expect(serverCounters(`${events('echoes', 3)}\n`, ['echoes']).events).toBe(3);
    expect(
      serverCounters('apiserver_watch_cache_events_received_total{resource="echoes"} 1.2e+06', ['echoes']).events,
    ).toBe(1_200_000);
  });
});

describe('countedBetween', () => {
  it('takes writes that made no event for writes that changed nothing', () => {
    const before = { writes: 10, conflicts: 1, statusConflicts: 0, events: 10 };
    const after = { writes: 30, conflicts: 4, statusConflicts: 2, events: 25 };
    expect(countedBetween(before, after, 0)).toMatchObject({ conflicts: 3, status_conflicts: 2, noop_writes: 5 });
  });

  it('leaves out the writes of the one who measures', () => {
    const before = { writes: 10, conflicts: 0, statusConflicts: 0, events: 10 };
    const after = { writes: 30, conflicts: 0, statusConflicts: 0, events: 30 };
    expect(countedBetween(before, after, 12)).toMatchObject({ writes: 8, noop_writes: 0 });
  });
});
