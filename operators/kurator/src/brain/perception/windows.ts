/**
 * Counting in windows: of so many trials, how many went wrong. An alarm is raised when the last one, two or three windows
 * hold more of these than one who is well would show once in a million times (an exact binomial tail), and ends with a
 * window that one who is well shows often. Who counts what is the business of whoever counts.
 */

/** Trials, and those of them that went wrong. */
export interface Count {
  readonly trials: number;
  readonly wrong: number;
}

/** Windows that were counted. */
export interface Windows<W extends Count> {
  /** Full ones, the newest last; never more than three. */
  readonly windows: readonly W[];
  readonly isAlarm: boolean;
}

/** The share that is nobody's business: who is well shows no more. */
export const tolerated = 0.02;
const windowsKept = 3;
const alarm = 1e-6;
/** An alarm ends with a window that one who is well shows more often than this: with one that went wrong, or none. */
const allClear = 0.3;

/**
 * Takes a full window in.
 *
 * @param isRaisedBy Whether so much raises an alarm; what is improbable does, unless given.
 */
export function closeWindow<W extends Count>(
  { windows, isAlarm }: Windows<W>,
  full: W,
  isRaisedBy: (count: Count) => boolean = isImprobable,
): Windows<W> {
  const isOver = isAlarm && tail(full.trials, full.wrong, tolerated) > allClear;
  // What was before the end of an alarm must not raise it again.
  const kept = isOver ? [full] : [...windows, full].slice(-windowsKept);
  const isRaised = kept.some((_, first) => isRaisedBy(sum(kept.slice(first))));
  return { windows: kept, isAlarm: isRaised || (isAlarm && !isOver) };
}

/** Whether one of whom no more than that share goes wrong would hardly ever show so much. */
export function isImprobable({ trials, wrong }: Count, share = tolerated): boolean {
  return tail(trials, wrong, share) <= alarm;
}

/** All of them together. */
export function sum(counts: readonly Count[]): Count {
  return counts.reduce((all, { trials, wrong }) => ({ trials: all.trials + trials, wrong: all.wrong + wrong }), {
    trials: 0,
    wrong: 0,
  });
}

/** The probability of `least` or more successes in `trials` of probability `share`: an exact sum. */
export function tail(trials: number, least: number, share: number): number {
  if (least <= 0) return 1;
  const odds = share / (1 - share);
  let term = (1 - share) ** trials;
  let below = 0;
  let above = 0;
  for (let successes = 0; successes <= trials; successes++) {
    if (successes < least) below += term;
    else above += term;
    term *= ((trials - successes) / (successes + 1)) * odds;
  }
  // The small one of the two is the exact one.
  return above < 0.5 ? above : 1 - below;
}
