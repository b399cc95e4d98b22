import { describe, expect, it } from 'vitest';
import { explain } from './explain.ts';
import type { Incident } from './incident/incident.ts';
import { ailments } from './simulation/events.ts';
import { beginning, calm, simulate } from './simulation/simulate.ts';
import { clusterDefaults, serviceSpec } from './spec-defaults.ts';
import { minute, second } from './time.ts';

describe('explain', () => {
  it('tells the story of an incident, with reasons, in order', () => {
    let incident: Incident | undefined;
    simulate({
      specs: [serviceSpec({ name: 'web', checks: [{ name: 'http', period: 10 * second, timeout: second }] })],
      replicas: 3,
      nodes: 3,
      cluster: clusterDefaults,
      chaos: calm,
      seed: 1,
      tick: second,
      length: 8 * minute,
      events: [{ at: 6 * minute, name: 'ill', service: 0, arg: ailments.indexOf('hang') }],
      after: ({ operator }) => {
        incident = operator.records.histories.get('web')?.incident ?? incident;
      },
    });
    if (!incident) throw new Error('no incident');
    const lines = explain(incident);
    const times = lines.slice(2).map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(lines.every(({ at }) => at >= beginning + 6 * minute)).toBe(true);
    expect(lines.map(({ text }) => text)).toEqual([
      'cause: it hangs: the port is open, nothing answers (certain)',
      'because web-1: check http failed 3 times in a row (response-timeout)',
      'may be in trouble: web-1: check http failed once (response-timeout)',
      'is not well: it hangs: the port is open, nothing answers: web-1: check http failed 3 times in a row (response-timeout)',
      'is being repaired: replace web-1: it hangs: the port is open, nothing answers',
      'decided web#1/1.1: replace web-1: it hangs: the port is open, nothing answers',
      'is being verified: done: replace web-1: it hangs: the port is open, nothing answers',
      'web#1/1.1 done',
      'is well again: well again after replace',
      expect.stringMatching(/^replace succeeded after \d+ s$/),
    ]);
  });
});
