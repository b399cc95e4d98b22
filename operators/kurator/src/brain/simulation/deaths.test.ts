/** The operator is killed at every point of every round of a repair: it ends the same, and nothing is done twice. */
import { describe, expect, it } from 'vitest';
import type { Surge } from '../observation.ts';
import { clusterDefaults, serviceSpec } from '../spec-defaults.ts';
import { minute, second } from '../time.ts';
import { ailments, type EventName } from './events.ts';
import { type DeathPoint, deathPoints } from './operator.ts';
import { beginning, calm, type Run, simulate } from './simulate.ts';

const at = 7 * minute;
const tick = 5 * second;
const repairTakes = 3 * minute;

const spec = serviceSpec({ name: 'web', checks: [{ name: 'http', period: 10 * second, timeout: second }] });

function run([, name, arg, surge]: Fault, death?: { point: DeathPoint; at: number }): Run {
  let isDue = death !== undefined;
  return simulate({
    specs: [spec],
    replicas: 3,
    nodes: 3,
    ...(surge && { surge }),
    cluster: clusterDefaults,
    chaos: calm,
    seed: 5,
    tick,
    length: at + 10 * minute,
    events: [{ at, name, service: 0, arg }],
    dies: (point, now) => {
      if (!isDue || point !== death?.point || now < beginning + death.at) return false;
      isDue = false;
      return true;
    },
  });
}

/** What is so in the end, and what it took. */
function endOf({ world, operator, referee }: Run) {
  const web = world.services.get('web');
  const history = operator.records.histories.get('web');
  return {
    revision: web?.revision,
    ill: web?.instances.filter(({ illness }) => illness !== undefined).length,
    made: web?.made,
    restarts: web?.restarts,
    done: web?.applied.size,
    incidents: history?.incidents,
    isOver: history?.incident === undefined,
    repairs: history?.repairs.length,
    cause: history?.closed[0]?.cause,
    breaches: referee.breaches,
  };
}

type Fault = [what: string, name: EventName, arg: number, surge?: Surge];

const faults: Fault[] = [
  ['one hangs', 'ill', ailments.indexOf('hang')],
  ['one crashes again and again', 'ill', ailments.indexOf('crash-loop')],
  ['all hang', 'allIll', ailments.indexOf('hang')],
  ['all hang, and are replaced by a rolling update', 'allIll', ailments.indexOf('hang'), { unavailable: 0 }],
  ['a bad revision is deployed', 'badDeploy', 0],
  ['a node is lost', 'nodeGone', 1],
];

describe('killed at any time', () => {
  it.each(faults)('ends the same when %s', { timeout: 60_000 }, (...fault) => {
    const undisturbed = endOf(run(fault));
    expect(undisturbed).toMatchObject({ ill: 0, isOver: true, breaches: [] });
    for (const point of deathPoints) {
      for (let death = at; death < at + repairTakes; death += tick) {
        const end = endOf(run(fault, { point, at: death }));
        expect(end, `killed ${point}, ${(death - at) / second} s in`).toEqual(undisturbed);
      }
    }
  });
});
