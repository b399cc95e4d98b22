/** Rules that look at symptoms of one kind alone. What only some pods have is their own; what all have is nobody's own fault. */
import { confirmed, uidsOf } from '../../evidence/evidence.ts';
import type { Symptom, SymptomKind } from '../../evidence/symptom.ts';
import type { Cause } from '../cause.ts';
import type { Rule } from '../rule.ts';

/** The plain case, a symptom that is its own explanation: finds `cause` wherever one of this kind is confirmed. */
export function bySymptom(kind: SymptomKind, cause: Cause): Rule {
  return ({ evidence }) => {
    const symptoms = evidence.symptoms.filter((symptom) => symptom.kind === kind && symptom.confirmed);
    if (symptoms.length === 0) return undefined;
    return { cause, confidence: 'certain', affected: uidsOf(symptoms), reasons: symptoms.map(({ says }) => says) };
  };
}

/** Slow answers, and whether anything should be done about it: not while the others are as slow, or nobody knows. */
export const slowness: Rule = ({ evidence }) => {
  const symptoms = confirmed(evidence).filter(({ kind }) => kind === 'slow');
  if (symptoms.length === 0) return undefined;
  const own = symptoms.filter(({ isShared }) => !isShared);
  if (own.length > 0) {
    const reasons = [...saysOf(own), 'the others answer as usual'];
    return { cause: 'slow', confidence: 'certain', affected: uidsOf(own), reasons };
  }
  const reasons = ['whether it is load, the machine or the network can not be told by the others', ...saysOf(symptoms)];
  return { cause: 'slow', confidence: 'possible', affected: uidsOf(symptoms), reasons };
};

function saysOf(symptoms: readonly Symptom[]): string[] {
  return symptoms.map(({ says }) => says);
}

/** Failures by share, and whose they are: of one instance that stands out, or of nobody in particular. */
export const intermittence: Rule = ({ evidence }) => {
  const symptoms = confirmed(evidence).filter(({ kind }) => kind === 'intermittent');
  if (symptoms.length === 0) return undefined;
  const own = symptoms.filter(({ isShared }) => !isShared);
  const says = symptoms.map((symptom) => symptom.says);
  const [one, another] = uidsOf(own);
  if (one !== undefined && another === undefined && own.length === symptoms.length) {
    const reasons = [...says, 'the others do so far less often, or not at all'];
    return { cause: 'intermittent', confidence: 'certain', affected: [one], reasons };
  }
  const reasons = [...says, 'no pod stands out against the others: look at what all of them use'];
  return { cause: 'intermittent', confidence: 'likely', affected: [], reasons };
};

/** Nothing else is wrong but that a check fails which has never passed: it is about the check, and not about any pod. */
export const unprovenCheck: Rule = ({ evidence }) => {
  const symptoms = confirmed(evidence).filter(({ kind }) => kind === 'unproven');
  if (symptoms.length === 0) return undefined;
  const reasons = [...new Set(symptoms.map(({ says }) => says))];
  if (symptoms.every(({ isCertificate }) => isCertificate)) {
    return { cause: 'certificate', confidence: 'certain', affected: uidsOf(symptoms), reasons };
  }
  return { cause: 'unproven-check', confidence: 'likely', affected: [], reasons };
};
