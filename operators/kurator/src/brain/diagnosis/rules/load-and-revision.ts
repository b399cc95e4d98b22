/** Did it begin with a new revision? Is there more load than it can take? Neither is healed by a restart. */
import { confirmed, type InstanceEvidence, inState } from '../../evidence/evidence.ts';
import type { SymptomKind } from '../../evidence/symptom.ts';
import type { Millis } from '../../time.ts';
import type { Confidence } from '../cause.ts';
import type { DiagnosisInput, Rule } from '../rule.ts';

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

/** What nobody but the revision itself can be blamed for. */
const ofItself: ReadonlySet<SymptomKind> = new Set<SymptomKind>(['image', 'configuration']);

/**
 * The new revision was never seen healthy, none of its instances speaks for it, and another one was healthy before. That
 * alone is no proof: something that all of them use, and that nobody has named, may have failed soon after the deploy.
 */
export const badRevision: Rule = (input) => {
  const { evidence, seen, revisions, now } = input;
  const { revision } = seen.workload;
  const before = revisions.healthy.at(-1);
  if (before === undefined || revisions.healthy.includes(revision)) return undefined;
  const failing = inState(evidence, 'failing');
  const ofIt = failing.filter((instance) => instance.revision === revision);
  const blamed = ofIt.filter(isBlamed);
  if (blamed.length === 0 || failing.length > ofIt.length) return undefined;
  const well = inState(evidence, 'healthy', 'impaired').filter((instance) => instance.revision === revision);
  const longest = Math.max(...blamed.map(livedFor));
  if (well.some(({ crashes, createdAt }) => !crashes && now - createdAt > longest)) return undefined;
  const doubt = doubtAbout(input, blamed);
  const reasons = [
    well.length === 0
      ? `every pod of revision ${revision} that was seen fails, and it was never seen healthy`
      : `every pod of revision ${revision} that is old enough crashed, and it was never seen healthy`,
    ...doubt.reasons,
    `revision ${before} was healthy before it`,
    ...blamed.flatMap(({ symptoms }) => symptoms.map(({ says }) => says)),
  ];
  return { cause: 'bad-revision', confidence: doubt.confidence, affected: blamed.map(({ uid }) => uid), reasons };
};

/** Who waits for a registry that does not answer would do so with any revision, whatever else is seen of it meanwhile. */
function isBlamed({ symptoms }: InstanceEvidence): boolean {
  if (symptoms.some(({ isOfRegistry }) => isOfRegistry)) return false;
  return symptoms.some(({ kind, confirmed }) => confirmed && ofRevision.has(kind));
}

function doubtAbout(
  { spec, evidence, seen, revisions }: DiagnosisInput,
  blamed: readonly InstanceEvidence[],
): { confidence: Confidence; reasons: readonly string[] } {
  const { revision } = seen.workload;
  const others = inState(evidence, 'healthy').filter((instance) => instance.revision !== revision);
  if (others.length > 0) {
    return {
      confidence: 'certain',
      reasons: [
        `${others.length} ${others.length === 1 ? 'pod of another revision is' : 'pods of another revision are'} well meanwhile`,
      ],
    };
  }
  const isItsOwn = blamed.some(({ symptoms }) => symptoms.some((one) => one.confirmed && ofItself.has(one.kind)));
  if (isItsOwn) return { confidence: 'certain', reasons: [] };
  if (!revisions.wellAtFirst?.includes(revision)) return { confidence: 'likely', reasons: [] };
  // What it is known to depend on was asked before.
  if (spec.dependsOn.length > 0) {
    return { confidence: 'likely', reasons: ['it was well at first; but all that it depends on is well'] };
  }
  const why = 'it was well at first, and nobody has said what it depends on: it may be something that all of them use';
  return { confidence: 'possible', reasons: [why] };
}

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
    `all ${known.length} pods whose use is known use at least 90 % of what they may`,
    ...symptoms.map(({ says }) => says),
  ];
  return { cause: 'saturation', confidence: 'likely', affected: affected.map(({ uid }) => uid), reasons };
};
