/** Says what happens, the moment it does: what Kurator sees and does, who was told, and how the services are. */

import { duration, safeLine, type Tone, wrap } from '@kurator/command';
import { type Incident, toneOf } from '@kurator/kubectl-kurator';
import type { ReceivedAlert } from './alert-sink.ts';
import type { Health } from './matrix.ts';
import type { Narrator } from './narrator.ts';
import { NAMESPACE } from './shop.ts';
import type { Listener } from './shop-watch.ts';
import { happenings } from './story.ts';

export interface Storyteller extends Listener {
  onAlert(alert: ReceivedAlert): void;
  /** A fault begins now; before the first, nothing is told. */
  begin(service: string): void;
}

/** Between the time and what is said. */
const WORD = 10;

export function storyteller(narrator: Narrator): Storyteller {
  const told = new Set<string>();
  let began = Number.POSITIVE_INFINITY;
  let broken = '';

  const say = (at: number, word: string, text: string, tone?: Tone) => {
    if (at < began) return;
    const { paint, width } = narrator.screen;
    const time = `+${duration(Math.max(0, at - began))}`.padStart(11);
    const mark = `${time}  ${word.padEnd(WORD)}`;
    const wrapped = wrap(safeLine(text), width, mark, ' '.repeat(mark.length));
    narrator.line(paint('dim', time) + paint(tone, wrapped.slice(time.length)));
  };

  return {
    begin(service) {
      began = Date.now();
      broken = service;
    },
    onHealth({ state: before }, { name, state = 'Unknown', ready = '' }: Health) {
      // On a terminal the matrix shows it.
      if (narrator.isLive || before === undefined || before === state) return;
      say(Date.now(), 'health', `${name} is ${state}, ${ready} well`, toneOf(state));
    },
    onIncident(incident: Incident) {
      for (const { id, at, service, word, text, tone } of happenings(incident)) {
        // What comes of a suspicion is told: a suspicion alone only of the one that is broken.
        if (told.has(id) || (word === 'suspects' && service !== broken)) continue;
        told.add(id);
        say(at, word, text, tone);
      }
    },
    onAlert({ severity, title }) {
      say(
        Date.now(),
        'alert',
        `${severity}: ${title.replaceAll(`${NAMESPACE}/`, '')}`,
        severity === 'resolved' ? 'good' : 'bad',
      );
    },
  };
}
