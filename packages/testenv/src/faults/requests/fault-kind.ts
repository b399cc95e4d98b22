/** What every kind of fault has: a request in plain JSON, and a table entry that checks and explains it. */
import type { Duration } from './duration.ts';
import { duration, type Field, optional, required, text } from './field.ts';

/** What every request has. */
export interface FaultBase {
  /** The fault heals by itself after this long. Default: it stays until it is healed. */
  for?: Duration;
}

/** A kind of fault, for those who check, list or document requests. */
export interface FaultKind<R extends FaultBase> {
  /** One line that goes on after "a fault that …". */
  readonly summary: string;
  /** Besides `kind` and `for`, which every request has. */
  readonly fields: Readonly<Record<Exclude<keyof R, keyof FaultBase | 'kind'>, Field>>;
  /** What is wrong with the fields together, each of them being right by itself. */
  check?(request: R): string | undefined;
  /** What a request does, in one line: `drops 30 % of the packets to pod default/web`. */
  describe(request: R): string;
}

/** The fields that every request has. */
export const baseFields: Readonly<Record<keyof FaultBase, Field>> = {
  for: optional('heal by itself after this long', duration),
};

/** One container of a pod. */
export interface ContainerTarget {
  pod: string;
  /** Default: `default`. */
  namespace?: string;
  /** Default: the one that `kubectl exec` would choose, usually the first. */
  container?: string;
}

/** The fields that name a container. */
export const containerFields: Readonly<Record<keyof ContainerTarget, Field>> = {
  pod: required('the name of a pod', text),
  namespace: optional("the pod's namespace", text),
  container: optional('one of its containers, if not the first', text),
};

/** `pod default/web`, with the container where one is named. */
export function describeContainer({ pod, namespace = 'default', container }: ContainerTarget): string {
  return container ? `container ${container} of pod ${namespace}/${pod}` : `pod ${namespace}/${pod}`;
}
