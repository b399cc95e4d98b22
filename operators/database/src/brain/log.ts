/** How logs are compared: by who wrote what, never by the number of a timeline. Two promotions that know nothing of each other give the same. */

/** Whose part of a log begins where. A log has one for each promotion that is in it, as a history file has timelines. */
export interface Line {
  /** Whose primary has written it. */
  readonly epoch: number;
  /** What postgres calls it; undefined until it was promoted. */
  readonly timeline: number | undefined;
  /** Its first byte: everything before it was written in the epochs before. */
  readonly start: number;
}

/** How far a log goes: by the epoch of its last entry first, then by length. */
export interface Position {
  readonly epoch: number;
  /** The end of what is on disk, in bytes. */
  readonly lsn: number;
}

/** The lines of a log that is a part, from the beginning on, of one that has these. */
export const linesUpTo = (lines: readonly Line[], lsn: number): readonly Line[] =>
  lines.filter(({ start }) => start < lsn);

export const positionOf = (lines: readonly Line[], lsn: number): Position => ({
  epoch: linesUpTo(lines, lsn).at(-1)?.epoch ?? 0,
  lsn,
});

/** Whether everything that counts in `b` is in `a`, if each of their epochs began with all that counted before. */
export const reaches = (a: Position, b: Position): boolean =>
  a.epoch > b.epoch || (a.epoch === b.epoch && a.lsn >= b.lsn);

/**
 * How data becomes that of a standby of somebody: as it is; by pg_rewind; or from nothing. `lsn` is undefined where the end of the log is
 * not known, after a crash.
 */
export function wayTo(
  own: readonly Line[],
  lsn: number | undefined,
  theirs: readonly Line[],
): 'follow' | 'rewind' | 'clone' {
  const lines = lsn === undefined ? own : linesUpTo(own, lsn);
  const foreign = lines.filter((line) => !theirs.some(({ epoch }) => epoch === line.epoch));
  if (foreign.length === lines.length) return 'clone';
  // pg_rewind goes by numbers of timelines: where one stands for two, it would find nothing to do.
  if (foreign.some(({ timeline }) => !timeline || theirs.some((line) => line.timeline === timeline))) return 'clone';
  if (foreign.length > 0 || lsn === undefined) return 'rewind';
  const next = theirs[lines.length];
  return next === undefined || lsn <= next.start ? 'follow' : 'rewind';
}
