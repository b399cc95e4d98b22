import { expect, it } from 'vitest';
import { decideAgain, type Moment, momentOf } from './replay.ts';
import type { EventName } from './simulation/events.ts';
import { happens, service, story } from './simulation/story.ts';
import { think } from './think.ts';
import { minute } from './time.ts';

const trouble: EventName[] = ['ill', 'allIll', 'badDeploy', 'goodDeploy', 'heal', 'pause', 'unpause', 'nodeSilent'];

it('decides the same again, from what was written down, at every moment at which something was decided', () => {
  let decisions = 0;
  let repairs = 0;
  let largest = 0;
  story(
    trouble.map((name, place) => happens(name, 'hang', 4 * minute * place, place)),
    {
      specs: [service({ name: 'db' }), service({ name: 'web', dependsOn: ['db'] })],
      length: 50 * minute,
      brain: (input) => {
        const { perception: _, ...grounds } = input;
        const thought = think(input);
        const moment = momentOf(grounds, thought);
        if (!moment) return thought;
        const written = JSON.stringify(moment);
        const again = decideAgain(JSON.parse(written) as Moment);
        const known = input.history.incident?.transitions.length ?? 0;
        expect(again.transitions).toEqual(thought.incident?.transitions.slice(known));
        expect(again.diagnosis).toEqual(thought.diagnosis);
        decisions++;
        repairs += again.actions.length;
        largest = Math.max(largest, written.length);
        return thought;
      },
    },
  );
  expect(decisions).toBeGreaterThan(5);
  expect(repairs).toBeGreaterThan(0);
  // Three instances: it is kept in an object of the API server.
  expect(largest).toBeLessThan(16_000);
});

it('keeps nothing of a thought that decides nothing', () => {
  let thoughts = 0;
  story([], {
    brain: ({ perception, ...grounds }) => {
      const thought = think({ ...grounds, perception });
      thoughts++;
      expect(momentOf(grounds, thought)).toBeUndefined();
      return thought;
    },
  });
  expect(thoughts).toBeGreaterThan(10);
});
