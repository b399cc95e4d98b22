/** The health matrix: a row for each service, a column for each second, so that one sees who failed when, and for how long. Pure. */

import type { Screen } from '@kurator/command';
import { toneOf } from '@kurator/kubectl-kurator';
import type { Served } from './customers.ts';

/** How a service is at a moment. */
export interface Health {
  readonly name: string;
  /** As Kurator calls it: Healthy, Suspect, Degraded, Down, Repairing, …; undefined before it has looked. */
  readonly state: string | undefined;
  /** Instances that are well, of those that are wanted: `2/3`. */
  readonly ready: string | undefined;
}

/** All services at a moment, and their customers until then. */
export interface Moment {
  readonly services: readonly Health[];
  readonly served: Served;
}

const marks: Readonly<Record<string, string>> = {
  Healthy: '●',
  Suspect: '◌',
  Degraded: '◐',
  Down: '○',
  Repairing: '◍',
  HandedOver: '✕',
  Quarantined: '✕',
};

/** The mark of a state; a dot for what is not known. */
export function markOf(state: string | undefined): string {
  return marks[state ?? ''] ?? '·';
}

/** What each mark means. */
export const legend = ['Healthy', 'Suspect', 'Degraded', 'Repairing', 'Down']
  .map((state) => `${markOf(state)} ${state.toLowerCase()}`)
  .join('   ');

const NAME = 11;
const STATE = 11;
const READY = 5;
/** The most seconds that are shown. */
const LONGEST = 60;

/** @param moments The oldest first, a second apart. */
export function matrix(moments: readonly Moment[], { width = 100, paint }: Screen): string[] {
  const room = Math.max(0, Math.min(LONGEST, width - NAME - STATE - READY - 2));
  const shown = moments.slice(-room - 1);
  const last = shown.at(-1);
  if (!last) return [];
  const row = ({ name, state = 'Unknown', ready = '' }: Health, index: number) => {
    const past = shown.slice(-room).map(({ services }) => services[index]?.state);
    const cells = past.map((one) => paint(toneOf(one), markOf(one))).join('');
    return `${name.padEnd(NAME)}${paint(toneOf(state), state.padEnd(STATE))}${ready.padEnd(READY)}${cells}`;
  };
  return [
    paint('dim', `${'SERVICE'.padEnd(NAME)}${'HEALTH'.padEnd(STATE)}${'WELL'.padEnd(READY)}EACH SECOND`),
    ...last.services.map(row),
    customersRow(shown, last, room, paint),
  ];
}

/** A second in which nobody was turned away is a bar, one in which somebody was is a number. */
function customersRow(shown: readonly Moment[], last: Moment, room: number, paint: Screen['paint']): string {
  const lostIn = shown.slice(1).map(({ served }, index) => served.lost - (shown[index]?.served.lost ?? 0));
  const cells = lostIn.map((lost) => (lost === 0 ? paint('good', '▪') : paint('bad', lost > 9 ? '+' : String(lost))));
  const lost = last.served.lost === 0 ? 'none lost' : `${last.served.lost} lost`;
  const gap = ' '.repeat(Math.max(0, Math.min(room, shown.length) - cells.length));
  return `${'customers'.padEnd(NAME)}${lost.padEnd(STATE + READY)}${gap}${cells.join('')}`;
}
