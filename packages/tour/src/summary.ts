/** What came of each fault, as a table; and what had to hold. Pure. */
import { duration, type Screen, table } from '@kurator/command';

/** Something that had to be so. */
export interface Claim {
  readonly text: string;
  readonly holds: boolean;
}

/** What came of one fault. */
export interface Outcome {
  readonly fault: string;
  /** Milliseconds from the fault until Kurator was sure; undefined where it never was. */
  readonly foundAfter: number | undefined;
  /** Until it had verified that all was well. */
  readonly recoveredAfter: number | undefined;
  readonly lost: number;
  readonly sent: number;
  /** What was done, in words. */
  readonly done: string;
  readonly claims: readonly Claim[];
}

const headings = ['FAULT', 'FOUND AFTER', 'WELL AFTER', 'REQUESTS LOST', 'WHAT KURATOR DID'];

export function summary(outcomes: readonly Outcome[], screen: Screen): string {
  const rows = outcomes.map(({ fault, foundAfter, recoveredAfter, lost, sent, done }) => [
    fault,
    time(foundAfter),
    time(recoveredAfter),
    lost === 0 ? `none of ${sent}` : `${lost} of ${sent}`,
    done,
  ]);
  return table(headings, rows, { screen });
}

function time(milliseconds: number | undefined): string {
  return milliseconds === undefined ? 'never' : duration(milliseconds);
}

/** On a line each: that it held, or that it didn't. */
export function claimLines(claims: readonly Claim[], { paint }: Screen): string[] {
  return claims.map(({ text, holds }) =>
    holds ? `${paint('good', '✓')} ${text}` : `${paint('bad', '✗ not so:')} ${text}`,
  );
}

export function allHold(outcomes: readonly Outcome[]): boolean {
  return outcomes.every(({ claims }) => claims.every(({ holds }) => holds));
}
