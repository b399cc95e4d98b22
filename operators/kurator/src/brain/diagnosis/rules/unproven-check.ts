/** Nothing else is wrong but that a check fails which has never passed. */
import { confirmed, uidsOf } from '../../evidence/evidence.ts';
import type { Rule } from '../rule.ts';

/** It is about the check, and not about any instance. */
export const unprovenCheck: Rule = ({ evidence }) => {
  const symptoms = confirmed(evidence).filter(({ kind }) => kind === 'unproven');
  if (symptoms.length === 0) return undefined;
  const reasons = [...new Set(symptoms.map(({ says }) => says))];
  if (symptoms.every(({ isCertificate }) => isCertificate)) {
    return { cause: 'certificate', confidence: 'certain', affected: uidsOf(symptoms), reasons };
  }
  return { cause: 'unproven-check', confidence: 'likely', affected: [], reasons };
};
