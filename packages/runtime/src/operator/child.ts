/** A child as an author declares it. */
import type { KubernetesObject, Manifest, ResourceType } from '@kurator/client';
import type { Adopt } from '../writing/write-options.ts';

/** How a child is applied. */
export interface ChildSettings<Clusters extends string = never> {
  /** Another cluster than the one that the reconciled object is in. */
  cluster?: Clusters;
  /**
   * Fields in which nothing else may be, for example `['data']` of a ConfigMap: entries that others added are removed.
   * Without it they are left alone, since Kubernetes lets many share an object.
   */
  exact?: readonly string[];
  /**
   * Takes over an object of this name that is there already and that somebody else has made: whatever it is, or what a function
   * says yes to. Otherwise it is left alone, and that is a failure (`KUR_RUNTIME_FOREIGN_CHILD`). What another controller
   * has is never taken.
   */
  adopt?: Adopt;
}

/** How a child stands to the others of its set. */
export interface ChildOptions extends ChildSettings<string> {
  /**
   * The names, in the set, of children that must have been applied before this one. Beside that, kinds come in an order
   * that suits most: namespaces, accounts and roles, Secrets and ConfigMaps, Services, workloads, and the rest.
   */
  after?: readonly string[];
}

/** A child as it should be. Made by {@link child}. */
export interface Child<C extends KubernetesObject = KubernetesObject> {
  readonly type: ResourceType<C>;
  readonly manifest: Manifest<C>;
  readonly options: ChildOptions;
}

/** What becomes of a set of children: each as it is then, under the name it was given. */
export type Children<S extends Readonly<Record<string, Child>>> = {
  [Name in keyof S]: S[Name] extends Child<infer C> ? C : never;
};

/**
 * Declares a child for `applyAll`.
 *
 * @example await applyAll({ page: child(ConfigMap, pageOf(site)), web: child(Deployment, webOf(site), { after: ['page'] }) });
 */
export function child<C extends KubernetesObject>(
  type: ResourceType<C>,
  manifest: Manifest<C>,
  options: ChildOptions = {},
): Child<C> {
  return { type, manifest, options };
}
