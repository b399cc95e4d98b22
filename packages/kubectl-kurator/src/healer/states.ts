/** States of incidents that can be asked for by name. No import, for all commands load this. */

/** The stages, as the healer's brain has them. */
const stages = [
  'suspected',
  'dismissed',
  'confirmed',
  'waitingForDependency',
  'tellingDependants',
  'proposed',
  'repairing',
  'verifying',
  'yielded',
  'recovered',
  'handedOver',
  'quarantined',
  'withdrawn',
];

/** `waiting`: for a person. */
export const states: readonly string[] = ['open', 'closed', 'waiting', ...stages];
