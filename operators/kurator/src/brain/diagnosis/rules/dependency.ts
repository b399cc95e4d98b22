/**
 * Is it something that the service depends on? Only a dependency that was itself seen healthy, by checks that began
 * after this service's trouble did, is cleared. So a dependant that notices an outage sooner than its cause does is not
 * repaired for it.
 */
import { confirmed } from '../../evidence/evidence.ts';
import type { SymptomKind } from '../../evidence/symptom.ts';
import type { DependencyObservation } from '../../observation.ts';
import { inWords, type Millis, second } from '../../time.ts';
import type { Rule } from '../rule.ts';

/** No dependency can do this to anybody. */
const ownFaults: ReadonlySet<SymptomKind> = new Set<SymptomKind>([
  'node-gone',
  'node-silent',
  'image',
  'configuration',
  'unschedulable',
  'missing',
  'oom',
  'loss',
  'certificate',
]);

/** Kubernetes says when something was to the second, and leaves off the rest. */
const stampsAreCut = second;

/** Something that it depends on is in trouble, was not seen well since, or has only just recovered. */
export const dependency: Rule = ({ spec, evidence, seen, now }) => {
  if (spec.dependsOn.length === 0) return undefined;
  const explained = confirmed(evidence).filter(({ kind }) => !ownFaults.has(kind));
  if (explained.length === 0) return undefined;
  // The newest of them: an older one may have had another cause, and the dependency have failed since.
  const since = Math.max(...explained.map((symptom) => symptom.since)) + stampsAreCut;
  const { recoverWithin } = spec.coordination;
  const doubts = spec.dependsOn.flatMap((name) => {
    const known = seen.dependencies.find((one) => one.name === name);
    return doubtAbout(name, known, since, recoverWithin, now) ?? [];
  });
  if (doubts.length === 0) return undefined;
  const affected = [...new Set(explained.flatMap(({ instance }) => instance ?? []))];
  const reasons = [...doubts, ...explained.map(({ says }) => says)];
  return { cause: 'dependency', confidence: 'likely', affected, reasons };
};

function doubtAbout(
  name: string,
  known: DependencyObservation | undefined,
  since: Millis,
  recoverWithin: Millis,
  now: Millis,
): string | undefined {
  if (!known || known.state === 'unknown') return `nobody knows how ${name}, which it depends on, is`;
  if (known.state === 'impaired') {
    return `${name}, which it depends on, is in trouble itself${known.incident ? ` (${known.incident})` : ''}`;
  }
  if ((known.healthyAsOf ?? Number.NEGATIVE_INFINITY) <= since) {
    return `${name}, which it depends on, was not seen healthy since this began`;
  }
  const recovering = (known.recoveredAt ?? Number.NEGATIVE_INFINITY) + recoverWithin - now;
  return recovering > 0
    ? `${name}, which it depends on, has just recovered; it is given another ${inWords(recovering)} to follow`
    : undefined;
}
