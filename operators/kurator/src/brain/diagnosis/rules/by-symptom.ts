/** The plain case: a symptom that is its own explanation. */
import { uidsOf } from '../../evidence/evidence.ts';
import type { SymptomKind } from '../../evidence/symptom.ts';
import type { Cause } from '../cause.ts';
import type { Rule } from '../rule.ts';

/** A rule that finds `cause` wherever an instance has a confirmed symptom of this kind. */
export function bySymptom(kind: SymptomKind, cause: Cause): Rule {
  return ({ evidence }) => {
    const symptoms = evidence.symptoms.filter((symptom) => symptom.kind === kind && symptom.confirmed);
    if (symptoms.length === 0) return undefined;
    return { cause, confidence: 'certain', affected: uidsOf(symptoms), reasons: symptoms.map(({ says }) => says) };
  };
}
