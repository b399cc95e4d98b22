/** What is decided, as the world asks for it: the functions that the operator runs, or others in their place. */
import { nextStep, sightingAfter } from '../../src/brain/coordinator.ts';
import { duty } from '../../src/brain/duty.ts';
import { freshMemory } from '../../src/brain/instance.ts';
import { grantRequest, grantsAfter, renewal } from '../../src/brain/lease.ts';
import { freeze, grant } from '../../src/brain/promise.ts';
import { slotOf } from '../../src/brain/slot.ts';
import { opens, syncStep } from '../../src/brain/sync.ts';

export const DECISIONS = {
  nextStep,
  sightingAfter,
  duty,
  freshMemory,
  grantRequest,
  grantsAfter,
  renewal,
  freeze,
  grant,
  opens,
  slotOf,
  syncStep,
};
export type Decisions = typeof DECISIONS;
