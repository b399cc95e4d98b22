import { describe, expect, it } from 'vitest';
import { subjectWith } from '../../test/support/drill-subject.ts';
import type { DrillSubject } from './drill-subject.ts';
import type { FaultName } from './faults.ts';
import { type Intent, refusalsOf } from './guards.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
const why = (subject: DrillSubject, intent: Intent = { fault: 'hang' }) =>
  refusalsOf(subject, intent, now)
    .map((one) => one.why)
    .join('; ');

it('lets a service be drilled that is well, in a namespace that allows it', () => {
  expect(why(subjectWith())).toBe('');
});

describe('refuses', () => {
  const until = '2026-03-01T12:01:00Z';
  const mark = (at: string) => ({
    'kurator.sh/drill': JSON.stringify({ id: 'a', fault: 'kill', until: at, pods: [] }),
  });

  it.each([
    ['a namespace without the label', { namespaceLabels: {} }, 'does not allow drills'],
    [
      'a namespace that says something else',
      { namespaceLabels: { 'kurator.sh/drill': 'no' } },
      'does not allow drills',
    ],
    ['a service that is paused', { spec: { pause: true } }, 'is paused'],
    ['a dry run', { spec: { dryRun: true } }, 'is a dry run'],
    ['a service that is not healthy', { status: { health: 'Degraded' } }, 'not healthy but Degraded'],
    ['a service of which nothing is known', { status: { health: undefined } }, 'not healthy but unknown'],
    ['while an incident is open', { openIncident: 'recovered' }, 'incident web-1 of web is open (recovered)'],
    ['while another drill is under way', { annotations: mark(until) }, 'a drill (kill) of web is under way'],
    ['while a rollout is under way', { updatedReplicas: 1 }, 'is being rolled out'],
    ['while the workload is paused', { isWorkloadPaused: true }, 'is paused'],
    ['without a workload', { hasWorkload: false }, 'is not there'],
  ] as const)('%s', (_, given, expected) => {
    expect(why(subjectWith(given as never))).toContain(expected);
  });

  it('nothing for a drill whose time is over, or a mark that nobody can read', () => {
    expect(why(subjectWith({ annotations: mark('2026-03-01T11:59:00Z') }))).toBe('');
    expect(why(subjectWith({ annotations: { 'kurator.sh/drill': '{' } }))).toBe('');
  });

  it('says everything that speaks against it at once, with what helps', () => {
    const refusals = refusalsOf(subjectWith({ namespaceLabels: {}, spec: { pause: true } }), { fault: 'hang' }, now);
    expect(refusals.map(({ remedy }) => remedy)).toEqual([
      'kubectl label namespace shop kurator.sh/drill=allowed',
      'kurator resume web',
    ]);
  });
});

describe('never below the minimum of healthy instances', () => {
  const instances = (healthyInstances: number, desiredInstances: number, recovery: object = {}) =>
    subjectWith({ status: { healthyInstances, desiredInstances }, spec: { recovery } });

  it.each([
    [1, 1, {}, 'hang', 'of 1 healthy pod it may cost 1, and 1 must be left'],
    [2, 3, {}, 'hang', 'of 2 healthy pods it may cost 1, and 2 must be left'],
    [3, 3, {}, 'kill', ''],
    [3, 3, { minHealthy: 3 }, 'kill', 'and 3 must be left'],
    [4, 4, { minHealthy: '75%' }, 'packet-loss', ''],
    [4, 4, { minHealthy: '76%' }, 'packet-loss', 'and 4 must be left'],
    [2, 2, { minHealthy: 0 }, 'hang', ''],
    [1, 1, { minHealthy: 0 }, 'hang', 'and 1 must be left'],
    // A rollout of three takes none away by default, of four one.
    [3, 3, { minHealthy: 3 }, 'crash-loop', ''],
    [4, 4, { minHealthy: 4 }, 'crash-loop', 'it may cost 1'],
    [1, 1, {}, 'load', ''],
  ] as const)('%i of %i, %j: %s', (healthy, desired, recovery, fault, expected) => {
    const refusal = why(instances(healthy, desired, recovery), { fault: fault as FaultName });
    if (expected === '') expect(refusal).toBe('');
    else expect(refusal).toContain(expected);
  });

  it('is not asked of a dependency, which is named to fail as a whole', () => {
    expect(why(instances(1, 1), { fault: 'hang', all: true })).toBe('');
  });
});
