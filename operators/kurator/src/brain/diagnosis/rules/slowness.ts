/** One that is slower than it was, while the others are not, is ill. Where all are, it is nobody's own fault. */
import { confirmed, uidsOf } from '../../evidence/evidence.ts';
import type { Symptom } from '../../evidence/symptom.ts';
import type { Rule } from '../rule.ts';

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
