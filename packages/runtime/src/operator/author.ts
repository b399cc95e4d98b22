/** What the author of an operator writes, and what is put into his hands for it. */
import type { Client, KubernetesObject, Manifest, ObjectReference, ResourceType } from '@kurator/client';
import type { ReconcileContext, ReconcileResult } from '../controller/reconcile.ts';
import { type Duration, parseDuration } from '../duration.ts';
import type { Manager } from '../manager/manager.ts';
import type { Runnable } from '../manager/runnable.ts';
import type { AdmissionCall, Objections } from '../webhooks/admission.ts';
import type { ConditionClaim } from '../writing/condition.ts';
import type { Child, Children, ChildSettings } from './child.ts';
import type { Lookup, LookupOptions } from './lookup.ts';

/** Lines about the object that is being reconciled; its name and the controller's are in each of them. */
export interface Log {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

/** One more thing that an event may say. */
export interface EventDetails {
  /** What was done or tried: a word in UpperCamelCase; `Reconcile` unless given. */
  action?: string;
  /** Another object that has to do with it. */
  related?: KubernetesObject;
}

/** Tells people, through the API server, that something happened to the object. The same again is counted, not told again. */
export type TellEvent = (type: 'Normal' | 'Warning', reason: string, message: string, details?: EventDetails) => void;

/** What a reconcile and a clean-up are given beside the object. */
export interface AuthorContext<Indexes extends string = never, Clusters extends string = never>
  extends ReconcileContext,
    Lookup<Indexes, Clusters> {
  /**
   * Makes a child exist and have these fields, and gives it as it is then. The child belongs to the object: it is deleted
   * with it, and put back when somebody changes or deletes it. A later reconcile that doesn't apply it leaves it alone:
   * see `applyAll` and `remove`. Its kind must be declared by `owns`. Sends nothing where nothing would change.
   */
  apply<C extends KubernetesObject>(
    type: ResourceType<C>,
    manifest: Manifest<C>,
    options?: ChildSettings<Clusters>,
  ): Promise<C>;
  /**
   * Applies children as a set, by names of the author's choice: in the order in which they need each other, as many at
   * once as that allows. One that fails keeps back only those that come `after` it; in the end the failures are thrown
   * together.
   *
   * The set is whole: with what this reconcile has applied before, it is all that the object should have. Once the
   * reconcile has succeeded, its other children are deleted, except of kinds that hold data, see `prune` of `owns`.
   * So it comes last: what would be applied after it is refused. A set that is empty, where nothing was applied before it
   * either, is refused if children would go by it, unless with `allowEmpty`.
   */
  applyAll<C extends Readonly<Record<string, Child>>>(
    children: C,
    options?: { readonly allowEmpty?: boolean },
  ): Promise<Children<C>>;
  /**
   * Deletes the object's child of this name, whatever its kind holds; false if there is none. What somebody else made
   * under that name is left alone.
   */
  remove<C extends KubernetesObject>(
    type: ResourceType<C>,
    which: string | ObjectReference,
    options?: LookupOptions<Clusters>,
  ): Promise<boolean>;
  /**
   * Lets go of the object's child of this name: it stays as it is, and is nobody's; false if there is none. The reconcile
   * must not apply it again: that is refused, unless with `adopt`.
   */
  release<C extends KubernetesObject>(
    type: ResourceType<C>,
    which: string | ObjectReference,
    options?: LookupOptions<Clusters>,
  ): Promise<boolean>;
  /** The object's children of a kind that is declared by `owns`. */
  owned<C extends KubernetesObject>(type: ResourceType<C>, options?: LookupOptions<Clusters>): C[];
  event: TellEvent;
  /** See {@link requeue}. */
  requeue: typeof requeue;
  readonly log: Log;
  /** For everything else; refuses to write once this process can't be sure to lead. */
  readonly client: Client;
  /** The other clusters, by their names. */
  readonly clusters: Readonly<Record<Clusters, Client>>;
  /** Whether nothing is to be changed, see `dryRun`: requests see to that themselves, other systems are the author's part. */
  readonly dryRun: boolean;
}

/** What the author says in a status: all but what is kept for him. */
export type StatusFields<T extends KubernetesObject> = T extends { status?: infer S }
  ? Omit<NonNullable<S>, 'conditions' | 'observedGeneration'>
  : object;

/** What a reconcile says. */
export interface AuthorResult<T extends KubernetesObject> extends ReconcileResult {
  /** What the status should be; fields that are not given are removed. Left alone unless given. */
  status?: StatusFields<T>;
  /** Conditions beside `Ready`, or `Ready` itself where success doesn't mean that it is. */
  conditions?: readonly ConditionClaim[];
}

/** Makes the world as the object wants it: see {@link Reconcile}. */
export type ReconcileFunction<
  T extends KubernetesObject,
  Indexes extends string = never,
  Clusters extends string = never,
> = (
  object: T,
  context: AuthorContext<Indexes, Clusters>,
  // biome-ignore lint/suspicious/noConfusingVoidType: a reconcile that says nothing returns nothing.
) => Promise<AuthorResult<T> | void> | AuthorResult<T> | void;

/** Nothing, or to be called again because the clean-up is not done yet. */
// biome-ignore lint/suspicious/noConfusingVoidType: a clean-up that is done returns nothing.
export type CleanupResult = ReconcileResult | void;

/** Undoes what the deletion of the children doesn't: see {@link ControllerBuilder.cleanup}. */
export type CleanupFunction<
  T extends KubernetesObject,
  Indexes extends string = never,
  Clusters extends string = never,
> = (object: T, context: AuthorContext<Indexes, Clusters>) => Promise<CleanupResult> | CleanupResult;

/** Looks at an object and objects, or doesn't: `(app) => app.spec.image.includes(':') || deny('spec.image', 'must have a tag')`. */
export type ValidateFunction<T extends KubernetesObject> = (
  object: T,
  call: AdmissionCall<T>,
) => Objections | true | Promise<Objections | true>;

/** Changes the object, or returns another in its place, or objects. Must come to the same when it is asked twice. */
export type MutateFunction<T extends KubernetesObject> = (
  object: T,
  call: AdmissionCall<T>,
) => T | Objections | Promise<T | Objections>;

/** What a companion is given. */
export interface CompanionContext {
  /** What runs it: its caches, its metrics, its log. */
  readonly manager: Manager;
  /** The namespaces that the operator works in; all where undefined. */
  readonly namespaces: readonly string[] | undefined;
  /** Has an object reconciled for a reason that no cache knows; at once unless `after` is given. */
  wake(reference: ObjectReference, after?: Duration): void;
}

/** Makes what runs beside a controller, and where it runs: see `ControllerBuilder.beside`. Called once for each start. */
export type Companion = (context: CompanionContext) => Runnable;

/**
 * Has the object reconciled again after this, unless something changes earlier: `return requeue('30s')`, or beside other
 * results `return { status, ...requeue('30s') }`. A bad duration is refused here, where it was written.
 */
export function requeue(after: Duration): Required<ReconcileResult> {
  return { requeueAfter: parseDuration(after, 'requeue') };
}
