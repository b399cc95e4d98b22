/** One that fails now and then while the others do not is ill. Where others do as well, it is nobody's own fault. */
import { confirmed, uidsOf } from '../../evidence/evidence.ts';
import type { Rule } from '../rule.ts';

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
