/** The stages of an incident, and which may follow which. */

/** Where an incident stands. */
export type Stage =
  /** Something was seen, not enough to act upon. */
  | 'suspected'
  /** It was nothing. The end. */
  | 'dismissed'
  /** Something is wrong, and what is known. */
  | 'confirmed'
  /** The cause is elsewhere, and is repaired first. */
  | 'waitingForDependency'
  /** Dependants were told, and those that answer are waited for. */
  | 'tellingDependants'
  /** What would be done is said, and a person's word is waited for. */
  | 'proposed'
  /** A step of the ladder is being taken. */
  | 'repairing'
  /** It was taken, and is being judged by its effect. */
  | 'verifying'
  /** Somebody else has changed the workload: theirs is the turn. */
  | 'yielded'
  /** All is well again. The end, unless it relapses soon. */
  | 'recovered'
  /** A person is needed. */
  | 'handedOver'
  /** It comes back after every repair: nothing more is done until it has been well for long. */
  | 'quarantined'
  /** What it was about is gone, or is somebody else's: there is nothing left to go on with. The end. */
  | 'withdrawn';

/** Which stages may follow a stage. Nothing else ever happens. */
export const mayFollow: Readonly<Record<Stage, readonly Stage[]>> = {
  suspected: ['confirmed', 'dismissed', 'withdrawn'],
  dismissed: [],
  confirmed: [
    'waitingForDependency',
    'tellingDependants',
    'proposed',
    'repairing',
    'yielded',
    'recovered',
    'handedOver',
    'withdrawn',
  ],
  waitingForDependency: ['confirmed', 'recovered', 'handedOver', 'withdrawn'],
  tellingDependants: [
    'waitingForDependency',
    'proposed',
    'repairing',
    'yielded',
    'recovered',
    'handedOver',
    'withdrawn',
  ],
  proposed: [
    'waitingForDependency',
    'tellingDependants',
    'repairing',
    'yielded',
    'recovered',
    'handedOver',
    'withdrawn',
  ],
  repairing: ['verifying', 'confirmed', 'yielded', 'handedOver', 'withdrawn'],
  verifying: ['repairing', 'confirmed', 'yielded', 'recovered', 'handedOver', 'withdrawn'],
  yielded: ['confirmed', 'recovered', 'handedOver', 'withdrawn'],
  recovered: ['confirmed', 'waitingForDependency', 'quarantined', 'withdrawn'],
  handedOver: ['confirmed', 'recovered', 'withdrawn'],
  quarantined: ['confirmed', 'recovered', 'withdrawn'],
  withdrawn: [],
};

/** Stages in which the service is being repaired: they count against the cluster's budget. */
export const underRepair: ReadonlySet<Stage> = new Set<Stage>(['repairing', 'verifying']);

/** Stages in which nothing is wrong, or nothing is known to be. */
export const atEase: ReadonlySet<Stage> = new Set<Stage>(['suspected', 'dismissed', 'recovered', 'withdrawn']);

/** Stages in which a person has it, and was called. */
export const withPerson: ReadonlySet<Stage> = new Set<Stage>(['handedOver', 'quarantined']);
