/** What a new image waits for before it is rolled out, though it is wanted. */
import { Cron } from 'croner';

/** A stretch of time that comes again. */
export interface Window {
  readonly schedule: string;
  /** In milliseconds. */
  readonly duration: number;
}

/** A stretch of time that comes once; in milliseconds since 1970. */
export interface Freeze {
  readonly from: number;
  readonly to: number;
}

/** As in `spec.gates`. */
export interface Gates {
  /** In milliseconds. */
  readonly maturity: number;
  readonly timeZone: string;
  readonly windows: readonly Window[];
  readonly freezes: readonly Freeze[];
  readonly approval: 'Automatic' | 'Manual';
}

/** What holds it, and until when; undefined until somebody says so. */
export interface Closed {
  readonly why: string;
  readonly until?: number | undefined;
}

const at = (time: number) => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');

/** Whether it has been there for long enough. */
export function immature({ maturity }: Gates, firstSeen: number, now: number): Closed | undefined {
  const until = firstSeen + maturity;
  return now < until ? { why: `it matures until ${at(until)}`, until } : undefined;
}

/** Whether the time is right. */
export function outOfTime({ windows, freezes, timeZone }: Gates, now: number): Closed | undefined {
  const freeze = freezes.find(({ from, to }) => from <= now && now < to);
  if (freeze) return { why: `nothing is changed until ${at(freeze.to)} (spec.gates.freezes)`, until: freeze.to };
  if (windows.length === 0 || windows.some((window) => isOpen(window, timeZone, now))) return undefined;
  const next = windows.flatMap(({ schedule }) => occurrence(schedule, timeZone, now) ?? []);
  if (next.length === 0) return { why: 'no window of spec.gates.windows ever opens again' };
  const until = Math.min(...next);
  return { why: `the next window opens at ${at(until)} (spec.gates.windows)`, until };
}

/** Whether somebody has said yes to this very image. */
export function unapproved({ approval }: Gates, approved: string | undefined, digest: string): Closed | undefined {
  if (approval === 'Automatic' || approved?.trim() === digest) return undefined;
  return { why: `somebody is to approve it: annotate this ImageUpdate with delivery.kurator.sh/approve=${digest}` };
}

/** It is, if it opened less than its duration ago. */
function isOpen({ schedule, duration }: Window, timeZone: string, now: number): boolean {
  const opened = occurrence(schedule, timeZone, now - duration);
  return opened !== undefined && opened <= now;
}

/** The first time after another one. */
function occurrence(schedule: string, timezone: string, after: number): number | undefined {
  return new Cron(schedule, { timezone, mode: '5-part', paused: true }).nextRun(new Date(after))?.getTime();
}

/** What is wrong with them, with the field and the remedy. */
export function gateProblems({ windows, freezes, timeZone }: Gates): string[] {
  const problems: string[] = [];
  if (!isZone(timeZone)) {
    problems.push(`spec.gates.timeZone: there is no time zone ${timeZone}: write an IANA name, such as Europe/Berlin`);
  }
  for (const [index, { schedule }] of windows.entries()) {
    try {
      occurrence(schedule, 'UTC', 0);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const remedy = "write 'minute hour day month weekday', such as '0 9 * * 1-5'";
      problems.push(`spec.gates.windows[${index}].schedule: ${schedule} is no time (${why}): ${remedy}`);
    }
  }
  for (const [index, { from, to }] of freezes.entries()) {
    if (from >= to) problems.push(`spec.gates.freezes[${index}]: it ends before it begins: give a to after from`);
  }
  return problems;
}

function isZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}
