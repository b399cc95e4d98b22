/** What can be seen to be wrong, before anybody says why. */
import type { Millis } from '../time.ts';

/** One kind of sight. Those of an instance come first, then those of its node, then those of the whole service. */
export type SymptomKind =
  | 'crash'
  | 'crash-loop'
  | 'oom'
  | 'image'
  | 'configuration'
  | 'unschedulable'
  | 'unready'
  | 'refused'
  | 'hang'
  | 'unreachable'
  | 'certificate'
  | 'wrong'
  | 'slow'
  | 'loss'
  | 'intermittent'
  | 'unproven'
  | 'node-gone'
  | 'node-silent'
  | 'service'
  | 'missing'
  | 'stalled';

/** What was seen of one subject. */
export interface Sighting {
  /** Enough was seen to act upon. What is not confirmed is only a reason to look closer. */
  readonly confirmed: boolean;
  readonly since: Millis;
  /** When time alone confirms it, if nothing changes until then. */
  readonly ripeAt?: Millis;
  /** A sentence for people, without a full stop. */
  readonly says: string;
}

/** One thing that is wrong. */
export interface Symptom extends Sighting {
  readonly kind: SymptomKind;
  /** The instance's uid; missing when it is of the whole service. */
  readonly instance?: string;
  /** Of the failures that show it: when the first was that reached nobody. Those before may have been of another kind. */
  readonly unreachedSince?: Millis;
  /** Of a check that has never passed: it is the certificate that it does not accept. */
  readonly isCertificate?: boolean;
  /** Of an image that can't be had: nothing says that it is its own fault, and not its registry's. */
  readonly isOfRegistry?: boolean;
  /** The others have it too, or nobody knows: it says nothing about this instance. */
  readonly isShared?: boolean;
}

/**
 * What a failed check says about its target, by the prober's kind of error; anything else is a wrong answer. An open
 * port behind which nothing answers is a hang: TCP stays green, HTTP and exec do not.
 */
export const mannerOfError: Readonly<Record<string, SymptomKind>> = {
  refused: 'refused',
  'connect-timeout': 'unreachable',
  'response-timeout': 'hang',
  'body-timeout': 'hang',
  'tls-timeout': 'hang',
  'exec-timeout': 'hang',
  'tls-expired': 'certificate',
  'tls-untrusted': 'certificate',
  'tls-name': 'certificate',
};

/** An instance with one of these still serves, only badly. */
export const impairing: ReadonlySet<SymptomKind> = new Set<SymptomKind>(['slow', 'loss', 'intermittent']);
