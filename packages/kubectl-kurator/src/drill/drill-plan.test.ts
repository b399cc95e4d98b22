import { describe, expect, it } from 'vitest';
import { podOf, subjectWith } from '../../test/support/drill-subject.ts';
import { deadlineOf, dependencyOf, faultOf, targetsOf } from './drill-plan.ts';

const now = Date.parse('2026-03-01T12:00:00Z');

describe('the deadline', () => {
  it.each([
    [undefined, 120],
    ['90s', 90],
    ['10s', 10],
    ['30m', 1800],
  ])('%s is %i s', (deadline, seconds) => {
    expect(deadlineOf({ fault: 'hang', ...(deadline && { deadline }) })).toBe(seconds);
  });

  it.each(['9s', '31m', '0s', '-5s', 'soon', ''])('is refused: "%s"', (deadline) => {
    expect(() => deadlineOf({ fault: 'hang', deadline })).toThrow("can't be used");
  });
});

describe('the pod', () => {
  const old = podOf('web-b', { startedAt: '2026-03-01T11:10:00Z' });
  const older = podOf('web-c', { startedAt: '2026-03-01T11:05:00Z' });
  const fresh = podOf('web-a', { startedAt: '2026-03-01T11:59:50Z' });
  const ill = podOf('web-d', { isReady: false });
  const subject = subjectWith({ pods: [fresh, old, older, ill] });

  it('is the one that is longest there', () => {
    expect(targetsOf('hang', subject, now)).toEqual([older]);
  });

  it('is the one that is named', () => {
    expect(targetsOf('kill', subject, now, 'web-b')).toEqual([old]);
  });

  it.each(['web-d', 'web-x'])('must be ready: %s', (name) => {
    expect(() => targetsOf('hang', subject, now, name)).toThrow(`no pod "${name}" that is ready`);
  });

  it('must be past its start-up grace where only checks would notice', () => {
    expect(() => targetsOf('hang', subject, now, 'web-a')).toThrow('within its start-up grace');
    expect(() => targetsOf('dependency', subject, now)).toThrow('within its start-up grace');
    expect(targetsOf('kill', subject, now, 'web-a')).toEqual([fresh]);
  });

  it('is not one but all that are ready, for a load', () => {
    expect(targetsOf('load', subject, now)).toEqual([older, old, fresh]);
    expect(() => targetsOf('load', subject, now, 'web-b')).toThrow('is about all pods');
  });
});

describe('the dependency', () => {
  it('is one that the service depends on, by name', () => {
    expect(dependencyOf({ fault: 'dependency', dependency: 'store/queue' }, subjectWith())).toBe('store/queue');
    expect(dependencyOf({ fault: 'hang' }, subjectWith())).toBeUndefined();
  });

  it.each([
    [{ fault: 'dependency' }, 'name the service that is to fail'],
    [{ fault: 'dependency', dependency: 'cache' }, 'web does not depend on cache'],
    [{ fault: 'hang', dependency: 'database' }, '--dependency goes with --fault dependency'],
  ] as const)('is refused: %j', (options, message) => {
    expect(() => dependencyOf(options, subjectWith())).toThrow(message);
  });
});

it.each([
  [{ fault: 'hang', percent: 20 }, '--percent goes with --fault packet-loss'],
  [{ fault: 'crash-loop', image: 'tools' }, '--image goes with --fault kill, hang, packet-loss, dependency'],
] as const)('refuses what would be idle with this fault: %j', (options, message) => {
  expect(() => faultOf(options)).toThrow(message);
});

it('asks for a fault', () => {
  expect(() => faultOf({})).toThrow('say which fault');
});
