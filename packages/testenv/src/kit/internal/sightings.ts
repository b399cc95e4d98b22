import { inspect } from 'node:util';

/** What one look saw: what it threw, or what it gave. */
export type Sighting = { readonly error: unknown } | { readonly value: unknown };

interface Noted {
  readonly text: string;
  readonly since: number;
}

// How many different ones are told, and how much of each: a failed test is read by a person.
const TOLD = 5;
const LONGEST = 2000;

/** What was seen over time, each different thing once. */
export class Sightings {
  readonly #now: () => number;
  readonly #begunAt: number;
  readonly #noted: Noted[] = [];
  #looks = 0;
  #lookBegunAt: number | undefined;
  last: Sighting | undefined;

  constructor(now: () => number) {
    this.#now = now;
    this.#begunAt = now();
  }

  begin(): void {
    this.#looks++;
    this.#lookBegunAt = this.#now();
  }

  saw(sighting: Sighting): void {
    this.last = sighting;
    const since = (this.#lookBegunAt ?? 0) - this.#begunAt;
    this.#lookBegunAt = undefined;
    const text = 'error' in sighting ? errorText(sighting.error) : `it gave ${described(sighting.value)}`;
    if (this.#noted.at(-1)?.text !== text) this.#noted.push({ text, since });
  }

  /** For people: what was seen last, and since when; then what was seen before. */
  story(): string[] {
    const last = this.#noted.at(-1);
    const earlier = this.#noted.slice(0, -1).slice(-TOLD);
    const lines = last
      ? [`last seen, since ${seconds(last.since)} (${this.#looks} looks): ${last.text}`]
      : ['no look has ended'];
    if (this.#lookBegunAt !== undefined) {
      lines.push(`the last look, begun at ${seconds(this.#lookBegunAt - this.#begunAt)}, did not end`);
    }
    return [...lines, ...earlier.reverse().map(({ text, since }) => `before, since ${seconds(since)}: ${text}`)];
  }
}

/** A value as people read it, shortened. */
export function described(value: unknown): string {
  return shortened(inspect(value, { depth: 6, breakLength: 100 }));
}

function errorText(error: unknown): string {
  if (!(error instanceof Error)) return `it threw ${described(error)}`;
  const { code } = error as { code?: unknown };
  return shortened(typeof code === 'string' ? `${error.message} (${code})` : error.message);
}

function shortened(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
