/** Did it begin with a new revision? Is there more load than it can take? Neither is healed by a restart. */
import { confirmed, type InstanceEvidence, inState } from '../../evidence/evidence.ts';
import type { SymptomKind } from '../../evidence/symptom.ts';
import type { Millis } from '../../time.ts';
import type { Rule } from '../rule.ts';

/** What a revision can do to its instances. A single crash is not enough to blame it. */
const ofRevision: ReadonlySet<SymptomKind> = new Set<SymptomKind>([
  'crash-loop',
  'image',
  'configuration',
  'unschedulable',
  'unready',
  'refused',
  'hang',
  'wrong',
]);

/** The new revision was never seen healthy, none of its instances speaks for it, and another one was healthy before. */
export const badRevision: Rule = ({ evidence, seen, revisions, now }) => {
  const { revision } = seen.workload;
  const before = revisions.healthy.at(-1);
  if (before === undefined || revisions.healthy.includes(revision)) return undefined;
  const failing = inState(evidence, 'failing');
  const ofIt = failing.filter((instance) => instance.revision === revision);
  const blamed = ofIt.filter(({ symptoms }) => symptoms.some((one) => one.confirmed && ofRevision.has(one.kind)));
  if (blamed.length === 0 || failing.length > ofIt.length) return undefined;
  const well = inState(evidence, 'healthy', 'impaired').filter((instance) => instance.revision === revision);
  const longest = Math.max(...blamed.map(livedFor));
  if (well.some(({ crashes, createdAt }) => !crashes && now - createdAt > longest)) return undefined;
  const reasons = [
    well.length === 0
      ? `every instance of revision ${revision} that was seen fails, and it was never seen healthy`
      : `every instance of revision ${revision} that is old enough crashed, and it was never seen healthy`,
    `revision ${before} was healthy before it`,
    ...blamed.flatMap(({ symptoms }) => symptoms.map(({ says }) => says)),
  ];
  return { cause: 'bad-revision', confidence: 'certain', affected: blamed.map(({ uid }) => uid), reasons };
};

/**
 * How long it was up between two crashes, at most. Who crashes every few seconds is well in between: only who has lived
 * longer than that speaks for a revision.
 */
function livedFor({ createdAt, crashes = [] }: InstanceEvidence): Millis {
  const last = crashes.at(-1);
  return last === undefined ? 0 : (last - createdAt) / crashes.length;
}

/** What load can do to an instance. A full queue of connections drops SYNs, and looks like loss. */
const ofLoad: ReadonlySet<SymptomKind> = new Set<SymptomKind>([
  'hang',
  'unreachable',
  'refused',
  'wrong',
  'unready',
  'slow',
  'intermittent',
  'loss',
  'service',
]);

/**
 * Every instance whose use is known uses all that it may. One alone that does is not overloaded but sick: load is spread
 * over all of them.
 */
export const saturation: Rule = ({ evidence }) => {
  const symptoms = confirmed(evidence);
  if (!symptoms.every(({ kind }) => ofLoad.has(kind))) return undefined;
  const live = evidence.instances.filter(({ health }) => health !== 'terminating');
  const known = live.filter(({ saturated }) => saturated !== undefined);
  const affected = live.filter((instance) => instance.symptoms.some((one) => one.confirmed));
  if (known.length === 0 || !known.every(({ saturated }) => saturated)) return undefined;
  if (!affected.every(({ saturated }) => saturated)) return undefined;
  const reasons = [
    `all ${known.length} instances whose use is known use at least 90 % of what they may`,
    ...symptoms.map(({ says }) => says),
  ];
  return { cause: 'saturation', confidence: 'likely', affected: affected.map(({ uid }) => uid), reasons };
};
