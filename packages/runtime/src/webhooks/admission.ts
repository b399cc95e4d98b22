/** What admission handlers are given, and what they may answer. */
import type { KubernetesObject, LabelSelector } from '@kurator/client';
import type { Duration } from '../duration.ts';
import type { Denial } from './denial.ts';

/** What is about to happen to an object. */
export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE';

/** Who asks for it. */
export interface AdmissionUser {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** One request that the API server asks about. */
export interface AdmissionCall<T extends KubernetesObject> {
  readonly operation: AdmissionOperation;
  /**
   * The object as it would be; on DELETE, the object that would go. A mutating handler may change it. Before the server
   * has chosen a name (`generateName`), `metadata.name` is missing.
   */
  readonly object: T;
  /** The object as it is; undefined on CREATE. */
  readonly oldObject: T | undefined;
  /** Empty where the server has not chosen one yet. */
  readonly name: string;
  /** Undefined for kinds of the whole cluster. */
  readonly namespace: string | undefined;
  /** For example `status`; undefined when the object itself is meant. */
  readonly subresource: string | undefined;
  readonly user: AdmissionUser;
  /** Nothing will be stored: a handler with side effects must have none now. */
  readonly dryRun: boolean;
  /** Names this one call, in the API server's logs too. */
  readonly uid: string;
  /** Fires when the answer would come too late, or nobody waits for it any more. */
  readonly signal: AbortSignal;
  /** Tells the user something, whatever the answer is; `kubectl` prints it. Keep it below 120 characters. */
  warn(message: string): void;
}

/** Nothing (or an empty list) allows; what is false, null or undefined in a list doesn't count. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler that objects to nothing need not return anything.
export type Objections = void | undefined | Denial | readonly (Denial | false | null | undefined)[];

/** Looks at a request and objects, or doesn't. */
export type ValidateHandler<T extends KubernetesObject> = (call: AdmissionCall<T>) => Objections | Promise<Objections>;

/** Changes `call.object`, or returns another in its place, or objects. Must come to the same when it is asked twice. */
export type MutateHandler<T extends KubernetesObject> = (
  call: AdmissionCall<T>,
) => T | Objections | Promise<T | Objections>;

/** A further condition in CEL, decided by the API server before it calls. */
export interface MatchExpression {
  readonly name: string;
  /** For example `request.userInfo.username != "system:serviceaccount:shop:operator"`. */
  readonly expression: string;
}

/** Which requests a webhook is asked about, and what happens when it can't be asked. */
export interface AdmissionOptions {
  /** Tells several webhooks of one kind apart: letters, digits and dashes. */
  readonly name?: string;
  /** CREATE and UPDATE unless given. */
  readonly operations?: readonly AdmissionOperation[];
  /** Subresources to be asked about too, for example `status`; none unless given. */
  readonly subresources?: readonly string[];
  /** What becomes of requests when no answer can be had: refused (`Fail`, unless given) or let through (`Ignore`). */
  readonly failurePolicy?: 'Fail' | 'Ignore';
  /** How long the API server waits for an answer: whole seconds from 1 to 30, 10 unless given. */
  readonly timeout?: Duration;
  /** Only objects in namespaces with such labels. */
  readonly namespaceSelector?: LabelSelector;
  /**
   * Namespaces whose objects are never asked about. For kinds of Kubernetes itself, unless given, `kube-system` and the
   * operator's own: otherwise an operator that is down could keep itself from coming back. None for custom kinds.
   */
  readonly exceptNamespaces?: readonly string[];
  /** Only objects with such labels. Whoever may set labels can get round it. */
  readonly objectSelector?: LabelSelector;
  /** Further conditions, all of which must hold. */
  readonly matchConditions?: readonly MatchExpression[];
  /** `NoneOnDryRun` if the handler writes somewhere, and doesn't when `dryRun`; `None` unless given. */
  readonly sideEffects?: 'None' | 'NoneOnDryRun';
}

/** What holds for mutating webhooks besides. */
export interface MutateOptions extends AdmissionOptions {
  /** CREATE and UPDATE unless given: what is deleted can't be changed. */
  readonly operations?: readonly ('CREATE' | 'UPDATE')[];
  /** Whether to be asked again after another webhook has changed the object; false unless given. */
  readonly reinvoke?: boolean;
}
