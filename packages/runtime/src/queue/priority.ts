/**
 * What a worker takes first: greater numbers. The numbers of controller-runtime, so that its dashboards read right; any
 * other number may be used too, as long as there are only a handful of different ones.
 */
export const Priority = {
  /** Something changed. */
  change: 0,
  /** It is time again: after a failure, or because the reconcile asked for it. */
  retry: -50,
  /** Nothing happened: it was there at the start, or is looked at again now and then. */
  resync: -100,
} as const;

/** A number such as those of {@link Priority}. */
export type Priority = number;
