/**
 * From many symptoms to one cause. The rules are asked in order, from what would explain the most to what would explain
 * the least: what a service suffers from outside comes before what may be wrong with itself. The first that fits wins,
 * and says why.
 */
import { confirmed, type Evidence } from '../evidence/evidence.ts';
import type { InstanceObservation } from '../observation.ts';
import type { Cause, Diagnosis } from './cause.ts';
import type { DiagnosisInput, Finding, Rule } from './rule.ts';
import { dependency } from './rules/dependency.ts';
import { badRevision, saturation } from './rules/load-and-revision.ts';
import { lossEverywhere, oneNode, packetLoss, serviceOnly, silenceEverywhere } from './rules/network.ts';
import { nodePath } from './rules/node-path.ts';
import { bySymptom, intermittence, slowness, unprovenCheck } from './rules/one-symptom.ts';

const rules: readonly Rule[] = [
  dependency,
  bySymptom('node-gone', 'node-lost'),
  bySymptom('node-silent', 'node-unreachable'),
  badRevision,
  saturation,
  nodePath,
  lossEverywhere,
  silenceEverywhere,
  serviceOnly,
  packetLoss,
  oneNode,
  bySymptom('image', 'image'),
  bySymptom('configuration', 'configuration'),
  bySymptom('unschedulable', 'unschedulable'),
  bySymptom('oom', 'oom'),
  bySymptom('crash-loop', 'crash-loop'),
  bySymptom('certificate', 'certificate'),
  bySymptom('hang', 'hang'),
  bySymptom('unreachable', 'unreachable'),
  bySymptom('crash', 'crash'),
  bySymptom('refused', 'crash'),
  bySymptom('wrong', 'wrong-answers'),
  bySymptom('unready', 'unready'),
  bySymptom('missing', 'missing-pods'),
  intermittence,
  slowness,
  unprovenCheck,
];

/** The cause of what was confirmed; undefined when nothing was. */
export function diagnose(all: DiagnosisInput): Diagnosis | undefined {
  const input = withoutUnproven(all);
  const symptoms = confirmed(input.evidence);
  if (symptoms.length === 0) return undefined;
  const findings: Finding[] = [];
  // Whatever else ails an instance that a person was called for is theirs as well.
  const excused = new Set<string>();
  for (const rule of rules) {
    const finding = rule(input);
    if (!finding) continue;
    findings.push(finding);
    const others = finding.affected.filter((uid) => !excused.has(uid));
    const isNews = !input.givenUp.includes(finding.cause) && (others.length > 0 || finding.affected.length === 0);
    if (isNews) return concluded(input, { ...finding, affected: others });
    for (const uid of finding.affected) excused.add(uid);
  }
  const reasons = symptoms.map(({ says }) => says);
  return concluded(input, findings[0] ?? { cause: 'unknown', confidence: 'possible', affected: [], reasons });
}

/** What a check says that has never passed is heard only where nothing else is wrong. */
function withoutUnproven(input: DiagnosisInput): DiagnosisInput {
  const proven = input.evidence.symptoms.filter(({ kind }) => kind !== 'unproven');
  return confirmed({ symptoms: proven }).length === 0
    ? input
    : { ...input, evidence: { ...input.evidence, symptoms: proven } };
}

function concluded({ evidence, seen }: DiagnosisInput, finding: Finding): Diagnosis {
  const affected = seen.instances.filter(({ uid }) => finding.affected.includes(uid));
  const [where] = affected.flatMap(places[finding.cause] ?? (() => [])).toSorted();
  return { ...finding, extent: extentOf(evidence, finding), ...(where !== undefined && { where }) };
}

const nodeOf = ({ node }: InstanceObservation) => node ?? [];

/** Where the fault is, of those that others may have as well. */
const places: Partial<Readonly<Record<Cause, (instance: InstanceObservation) => string | readonly string[]>>> = {
  'node-lost': nodeOf,
  'node-unreachable': nodeOf,
  node: nodeOf,
  image: ({ containers }) => containers.flatMap(({ registry }) => registry ?? []),
};

function extentOf({ instances }: Evidence, { affected, cause }: Finding): Diagnosis['extent'] {
  if (affected.length === 0 || cause === 'network' || cause === 'dependency') return 'around';
  const live = instances.filter(({ health }) => health !== 'terminating').length;
  if (affected.length >= live) return 'all';
  return affected.length === 1 ? 'instance' : 'some';
}
