/** What the replicas of a test's group and the test itself agree on. */

export const groupName = 'replicas';
/** Selects the objects that are shared. */
export const sharded = 'sharded=yes';
/** A lot of time for requests under way to end: these tests share a machine with others. */
export const timing = { leaseDuration: 12_000, renewDeadline: 6_000, retryPeriod: 500 };
