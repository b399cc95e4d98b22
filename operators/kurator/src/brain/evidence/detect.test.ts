import { describe, expect, it } from 'vitest';
import { everyCheck, now, observe, perceptionOf, specOf, type Trouble } from '../../../test/support/brain/trouble.ts';
import { freshPerception, perceive } from '../perception/perception.ts';
import { serviceSpec } from '../spec-defaults.ts';
import { minute, second } from '../time.ts';
import { detect } from './detect.ts';

const spec = serviceSpec({ name: 'web', startupGrace: 30 * second, recovery: { nodeGrace: minute } });

/** An instance that nobody checks: only time and the watches can say more of it. */
const known = (trouble: Trouble) => detect(spec, freshPerception, observe(trouble), everyCheck, now).instances[0];

describe('an instance', () => {
  it.each([
    ['it is well', {}, undefined],
    [
      'it has just lost its readiness',
      { instances: { a: { ready: false, readySince: now - 4 * second } } },
      now + 6 * second,
    ],
    ['it has lost it long ago', { instances: { a: { ready: false, readySince: now - minute } } }, undefined],
    [
      'it is starting',
      { instances: { a: { ready: false, createdAt: now - 25 * second, readySince: now - 25 * second } } },
      now + 5 * second,
    ],
    [
      'no node takes it',
      { instances: { a: { ready: false, unschedulable: { since: now - 20 * second, message: '0/3 nodes' } } } },
      now + 10 * second,
    ],
    ['its node is silent', { nodes: { n1: { ready: 'unknown', since: now - 50 * second } } }, now + 10 * second],
    [
      'its node is silent, and all of them were',
      { nodes: { n1: { ready: 'unknown', since: now - 2 * minute, silentAloneFrom: now + 20 * second } } },
      now + 20 * second,
    ],
  ] satisfies [string, Trouble, number | undefined][])('is looked at again in time where %s', (_, trouble, at) => {
    expect(known(trouble)?.changesAt).toBe(at);
  });

  it.each([
    ['runs there and was never asked may be alive', 'running', false],
    ['was sent there when it was silent already never ran, and is lost', 'waiting', true],
  ] as const)('that %s', (_, state, confirmed) => {
    const containers = [{ name: 'main', state, restarts: 0 }];
    const trouble = { instances: { a: { containers } }, nodes: { n1: { ready: 'unknown', since: now - 2 * minute } } };
    const checked = { ...spec, checks: specOf({}).checks };
    const [seen] = detect(checked, freshPerception, observe(trouble as Trouble), everyCheck, now).instances;
    expect(seen?.symptoms).toMatchObject([{ kind: 'node-silent', confirmed }]);
  });

  it('that has crashed again and again is known to be ill only until it is well again', () => {
    const after = (restarts: number, ready: boolean): Trouble => {
      const ended = { at: now - (5 - restarts) * 10 * second, exitCode: 1, reason: 'Error' };
      const startedAt = ended.at + second;
      return {
        instances: { a: { ready, containers: [{ name: 'main', state: 'running', restarts, startedAt, ended }] } },
      };
    };
    let perception = freshPerception;
    for (const restarts of [1, 2, 3, 4]) {
      const { instances } = observe(after(restarts, false));
      perception = perceive(spec, perception, { results: [], samples: [], instances });
    }
    const looping = (ready: boolean) => {
      const [instance] = detect(spec, perception, observe(after(4, ready)), everyCheck, now).instances;
      return { health: instance?.health, symptom: instance?.symptoms.find(({ kind }) => kind === 'crash-loop') };
    };
    expect(looping(false)).toMatchObject({ health: 'failing', symptom: { confirmed: true } });
    expect(looping(true)).toMatchObject({ health: 'healthy', symptom: { confirmed: false } });
  });

  it('that was well once has started: what it loses within its grace is a fault of today', () => {
    const createdAt = now - 40 * second;
    const containers = [{ name: 'main', state: 'running' as const, restarts: 0, startedAt: createdAt }];
    const young = { createdAt, ready: false, containers };
    const hung = (readySince: number): Trouble => ({
      errors: { a: 'response-timeout' },
      instances: { a: { ...young, readySince } },
      spec: { startupGrace: minute },
    });
    const healthOf = (trouble: Trouble) =>
      detect(specOf(trouble), perceptionOf(trouble), observe(trouble), everyCheck, now).instances[0]?.health;
    expect(healthOf(hung(now - 8 * second))).toBe('failing');
    expect(healthOf(hung(createdAt))).toBe('starting');
  });
});
