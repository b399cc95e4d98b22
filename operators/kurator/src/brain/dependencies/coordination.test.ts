import { describe, expect, it } from 'vitest';
import { now, observe, perceptionOf, specOf, type Trouble } from '../../../test/support/brain/trouble.ts';
import { survey } from '../cluster/survey.ts';
import { freshHistory, type History } from '../incident/history.ts';
import { beginning } from '../simulation/simulate.ts';
import { at, doneTo, happens, historyOf, service, story } from '../simulation/story.ts';
import { clusterDefaults } from '../spec-defaults.ts';
import { type Thought, think } from '../think.ts';
import { hour, minute, second } from '../time.ts';

const all = (error: string) => ({ a: error, b: error, c: error });
const noImage = {
  ready: false,
  containers: [{ name: 'main', state: 'waiting' as const, waiting: 'ImagePullBackOff', restarts: 0 }],
};

/** What is thought of it by one who has seen all checks pass before, where a shop depends on it and has to agree. */
function thoughtOf(trouble: Trouble, history?: History): Thought {
  const spec = specOf(trouble);
  const { checks } = spec;
  const known: History = {
    ...freshHistory(now - hour),
    revisions: { healthy: ['r1'], bad: [], left: [] },
    provenChecks: Object.fromEntries(checks.map(({ name, definition }) => [name, definition])),
  };
  return think({
    spec,
    seen: { ...observe(trouble), dependants: [{ name: 'shop', answers: true }] },
    perception: perceptionOf(trouble),
    history: history ?? known,
    cluster: survey(clusterDefaults, [], {}, now).view,
    outcomes: [],
    now,
  });
}

describe('dependants hear of a fault once it is confirmed, though nothing is repaired', () => {
  it.each<[string, Trouble, string]>([
    ['where it is the network', { errors: all('connect-timeout') }, 'web fails: the network'],
    ['where it is the certificate', { errors: all('tls-expired') }, 'web fails: its certificate is not valid'],
    ['where there is no image', { instances: { a: noImage } }, 'web fails: its image can not be had'],
  ])('%s, each once', (_, trouble, reason) => {
    const { incident, actions, notices, history } = thoughtOf(trouble);
    expect(incident?.transitions.map(({ to }) => to)).toContain('confirmed');
    expect(actions).toEqual([]);
    expect(notices).toMatchObject([{ phase: 'confirmed', to: 'shop', awaited: false, reason }]);
    expect(thoughtOf(trouble, history).notices).toEqual([]);
  });

  it('and that it is over, once it is', () => {
    const specs = [service({ name: 'db' }), service({ name: 'shop', dependsOn: ['db'] })];
    const events = [happens('allIll', 'loss'), happens('heal', 0, 10 * minute)];
    const heard: [phase: string, minutes: number][] = [];
    const run = story(events, {
      specs,
      tick: 2.5 * second,
      length: at + 50 * minute,
      brain: (input) => {
        const thought = think(input);
        for (const { phase, to } of thought.notices) {
          if (to === 'shop') heard.push([phase, Math.floor((input.now - beginning - at) / minute)]);
        }
        return thought;
      },
    });
    expect(doneTo(run, 'db')).toEqual([]);
    expect(historyOf(run, 'db').closed).toMatchObject([{ cause: 'network', end: 'recovered' }]);
    expect(heard.map(([phase]) => phase)).toEqual(['confirmed', 'after']);
    const [[, told = 0] = [], [, ended = 0] = []] = heard;
    expect(told).toBeLessThan(10);
    expect(ended).toBeGreaterThanOrEqual(10);
  });
});
