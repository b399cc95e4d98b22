/** What can be the matter, and what follows from it. */

/** Why a service is not well. */
export type Cause =
  | 'dependency'
  | 'node-lost'
  | 'node-unreachable'
  | 'node'
  | 'network'
  | 'packet-loss'
  | 'bad-revision'
  | 'saturation'
  | 'image'
  | 'configuration'
  | 'unschedulable'
  | 'missing-pods'
  | 'oom'
  | 'crash-loop'
  | 'crash'
  | 'hang'
  | 'unreachable'
  | 'wrong-answers'
  | 'unready'
  | 'slow'
  | 'intermittent'
  | 'certificate'
  | 'unproven-check'
  | 'unknown';

/** How sure the diagnosis is. `possible` is never enough for a repair. */
export type Confidence = 'certain' | 'likely' | 'possible';

/** One cause for everything that was seen, with the reasons for it. */
export interface Diagnosis {
  readonly cause: Cause;
  readonly confidence: Confidence;
  /** The uids of the instances that it is about. */
  readonly affected: readonly string[];
  /** Sentences for people, the most telling first. */
  readonly reasons: readonly string[];
  /** Which part of the service: decides whether one instance or the service is repaired; `around` is no part of it. */
  readonly extent: 'instance' | 'some' | 'all' | 'around';
  /** The node or the registry that is at fault, where it is one; the first of several. */
  readonly where?: string;
}

/** A cause in a person's words. */
export const causeInWords: Readonly<Record<Cause, string>> = {
  dependency: 'something that it depends on is in trouble',
  'node-lost': 'a node is lost',
  'node-unreachable': 'a node is unreachable, and may still run its containers',
  node: 'everything on one node fails',
  network: 'the network',
  'packet-loss': 'packets to one pod are lost',
  'bad-revision': 'the new revision is bad',
  saturation: 'there is more load than it can take',
  image: 'its image can not be had',
  configuration: 'it can not be started as configured',
  unschedulable: 'no node has room for it',
  'missing-pods': 'fewer pods exist than are wanted, and none are made',
  oom: 'it needs more memory than it may have',
  'crash-loop': 'it crashes again and again',
  crash: 'it crashed',
  hang: 'it hangs: the port is open, nothing answers',
  unreachable: 'nothing answers at its address',
  'wrong-answers': 'it answers, but not as it should',
  unready: 'it says itself that it is not ready',
  slow: 'it answers far slower than usual',
  intermittent: 'it fails now and then, far more often than by chance',
  certificate: 'its certificate is not valid',
  'unproven-check': 'a check has never passed, and may be wrong itself',
  unknown: 'nobody knows',
};
