/** Warnings of what is no fault yet: a certificate that is about to expire. Each is given once for each threshold. */
import type { History } from '../incident/history.ts';
import type { Perception } from '../perception/perception.ts';
import type { ServiceSpec } from '../spec.ts';
import { day, inWords, type Millis } from '../time.ts';
import type { Warning } from './notification.ts';

/** How long before the end a certificate is warned of. */
export const certificateThresholds: readonly Millis[] = [14 * day, 7 * day, day];

/** The warnings that are due, and the history that remembers them. */
export function warn(
  { name }: ServiceSpec,
  { targets }: Perception,
  history: History,
  now: Millis,
): { warnings: Warning[]; history: History } {
  const ends = new Set<Millis>();
  for (const { checks } of Object.values(targets)) {
    for (const { certificateExpiresAt } of Object.values(checks)) {
      if (certificateExpiresAt !== undefined && certificateExpiresAt > now) ends.add(certificateExpiresAt);
    }
  }
  const due = [...ends].flatMap((end) => {
    const threshold = certificateThresholds.findLast((before) => end - now <= before);
    return threshold === undefined ? [] : { end, key: `certificate/${end}/${threshold}` };
  });
  const fresh = due.filter(({ key }) => history.warned[key] === undefined);
  if (fresh.length === 0) return { warnings: [], history };
  const warnings = fresh.map(({ end, key }) => ({
    id: `${name}/${key}`,
    service: name,
    at: now,
    title: `${name}: its certificate ends in ${inWords(end - now)}`,
  }));
  // Only what is still due is remembered, so that this does not grow with every renewal.
  const warned = Object.fromEntries(due.map(({ key }) => [key, history.warned[key] ?? now]));
  return { warnings, history: { ...history, warned } };
}
