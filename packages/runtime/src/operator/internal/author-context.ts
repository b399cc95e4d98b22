/** Puts into an author's hands what his reconcile may use. */
import type { Client, KubernetesObject, Manifest, ResourceType } from '@kurator/client';
import type { ReconcileContext } from '../../controller/reconcile.ts';
import { RuntimeError } from '../../error.ts';
import { keyFor, keyOf } from '../../object-key.ts';
import { declarationOf } from '../../writing/declaration.ts';
import { isLeftTo } from '../../writing/prune.ts';
import type { Adopt } from '../../writing/write-options.ts';
import { type AuthorContext, type Log, requeue, type TellEvent } from '../author.ts';
import type { Children, ChildSettings } from '../child.ts';
import { OWN_CLUSTER } from '../definition.ts';
import { applyChildren, extraFieldsPatch } from './apply-children.ts';
import { clusterScope } from './cluster-scope.ts';
import type { ControllerScope } from './controller-scope.ts';
import { type OwnedKind, referenceFrom } from './lookups.ts';
import { marked, refuseOthers } from './remote-children.ts';
import { applyShared } from './shared-children.ts';

/** What one reconcile has said of its object's children. */
export interface Pass {
  /** What was applied with an owner reference. */
  readonly declared: Set<string>;
  /** What was applied as a remote child, by cluster. */
  readonly remote: Map<string, Set<string>>;
  /** What was removed or released by its name. */
  readonly letGo: Set<string>;
  /** Whether anything was applied, or was meant to be. */
  isEmpty: boolean;
  /**
   * Whether it was said that these are all: `closed` while that is being applied, `whole` once it is, `broken` when something
   * was to be applied after it.
   */
  set: 'open' | 'closed' | 'whole' | 'broken';
}

export function beginPass(): Pass {
  return { declared: new Set(), remote: new Map(), letGo: new Set(), isEmpty: true, set: 'open' };
}

export type AnyContext = AuthorContext<string, string>;

export function authorContext(
  scope: ControllerScope,
  object: KubernetesObject,
  context: ReconcileContext,
  pass: Pass,
): AnyContext {
  const { lookups, dryRun } = scope;
  const { signal } = context;

  const applyOne = async <C extends KubernetesObject>(
    type: ResourceType<C>,
    manifest: Manifest<C>,
    { cluster, exact = [], adopt = false }: ChildSettings<string> = {},
  ): Promise<C> => {
    const kind = lookups.owned(type, cluster);
    const applied = kind.remote
      ? await applyRemote(kind, type, manifest, adopt)
      : kind.shared
        ? await applyShared(scope, kind, type, manifest, { owner: object, adopt, signal })
        : await applyOwned(type, manifest, adopt);
    const patch = extraFieldsPatch(applied, manifest, exact);
    if (!patch) return applied;
    const { clusters, fieldManager } = scope;
    const { client } = clusterScope(clusters, kind.cluster);
    const stripped = await client.patch(type, applied.metadata, patch, { fieldManager, signal });
    kind.cache.observe(stripped);
    return stripped;
  };

  const applyOwned = async <C extends KubernetesObject>(
    type: ResourceType<C>,
    manifest: Manifest<C>,
    adopt: Adopt,
  ): Promise<C> => {
    const { name = '', namespace = object.metadata.namespace } = manifest.metadata;
    // Before it is sent: a child that can't be written now is wanted all the same, and must not be deleted.
    pass.declared.add(declarationOf(type, keyFor(type.namespaced ? { name, namespace } : { name })));
    return await scope.writer(scope.primary.name).apply(type, manifest, { owner: object, adopt, signal });
  };

  const applyRemote = async <C extends KubernetesObject>(
    kind: OwnedKind<C>,
    type: ResourceType<C>,
    manifest: Manifest<C>,
    adopt: Adopt,
  ): Promise<C> => {
    const wanted = marked(type, manifest, object, scope.fieldManager);
    const reference = { name: wanted.metadata.name ?? '', namespace: wanted.metadata.namespace };
    const names = pass.remote.get(kind.cluster) ?? new Set();
    pass.remote.set(kind.cluster, names.add(declarationOf(type, keyFor(reference))));
    const refuse = (live: KubernetesObject) => refuseOthers(object, live, scope.fieldManager, adopt);
    return await scope.writer(kind.cluster).apply(type, wanted, { refuse, signal });
  };

  return {
    ...context,
    ...equipment(scope, object),
    async apply(type, manifest, options) {
      refuseAfterSet(pass, `${type.kind} ${manifest.metadata.name}`);
      pass.isEmpty = false;
      return await applyOne(type, manifest, options);
    },
    async applyAll(children, { allowEmpty = false } = {}) {
      refuseAfterSet(pass, 'another set');
      if (Object.keys(children).length > 0) pass.isEmpty = false;
      if (pass.isEmpty && !allowEmpty) refuseToLoseAll(scope, object, pass);
      pass.set = 'closed';
      try {
        const applied = await applyChildren(children, ({ type, manifest, options }) =>
          applyOne(type, manifest, options),
        );
        if (pass.set === 'closed') pass.set = 'whole';
        return applied as Children<typeof children>;
      } catch (error) {
        // Nothing goes by a set that could not be applied, whatever the author makes of the failure.
        if (pass.set === 'closed') pass.set = 'open';
        throw error;
      }
    },
    async remove(type, which, { cluster } = {}) {
      const { cache, cluster: place } = lookups.owned(type, cluster);
      const reference = referenceFrom(which, type, object.metadata.namespace);
      pass.letGo.add(declarationOf(type, keyFor(reference)));
      return await scope.writer(place).remove(object, cache as never, reference, { signal });
    },
    async release(type, which, { cluster } = {}) {
      const { cache, cluster: place } = lookups.owned(type, cluster);
      const reference = referenceFrom(which, type, object.metadata.namespace);
      pass.letGo.add(declarationOf(type, keyFor(reference)));
      return await scope.writer(place).release(object, cache as never, reference, { signal });
    },
    owned: (type, { cluster } = {}) => lookups.owned(type, cluster).cache.ownedBy(object.metadata.uid ?? ''),
    requeue,
    dryRun,
  };
}

/** Else a reconcile that returns between the two would have deleted what comes later. */
function refuseAfterSet(pass: Pass, what: string): void {
  if (pass.set === 'open') return;
  // Whatever the author makes of the refusal: a set that was not all is no reason to delete.
  pass.set = 'broken';
  throw new RuntimeError('KUR_RUNTIME_AFTER_WHOLE_SET', `${what} is applied after the set that was said to be whole`, {
    remedy: 'put it into the set of applyAll, or apply it before: applyAll comes last, and once',
  });
}

/** A list that is empty by mistake looks like one that is meant to be: all that the object has is lost only by a word of its own. */
function refuseToLoseAll(
  { pruned, remote, fieldManager }: ControllerScope,
  owner: KubernetesObject,
  { letGo }: Pass,
): void {
  const caches = [...pruned, ...remote.filter(({ prune }) => prune).map(({ cache }) => cache)];
  const lost = caches.flatMap((cache) =>
    cache
      .ownedBy(owner.metadata.uid ?? '')
      .filter((child) => isLeftTo(fieldManager, child) && !letGo.has(declarationOf(cache.type, keyOf(child))))
      .map(({ metadata }) => `${cache.type.kind} ${metadata.name}`),
  );
  if (lost.length === 0) return;
  const message = `the set is empty, and all children of the object would be deleted: ${lost.join(', ')}`;
  throw new RuntimeError('KUR_RUNTIME_EMPTY_SET', message, {
    remedy: 'if that is meant, say applyAll({}, { allowEmpty: true }), or remove them by their names',
  });
}

/** What every function of an author may use: looking, telling, logging, and clients. */
export function equipment(scope: ControllerScope, object: KubernetesObject) {
  const { primary, lookups } = scope;
  const event: TellEvent = (type, reason, message, { action = 'Reconcile', related } = {}) =>
    primary.events.record(object, { type, reason, action, note: message, ...(related ? { related } : {}) });
  return {
    ...lookups.from(object.metadata.namespace),
    event,
    log: logAbout(scope, object),
    client: primary.client,
    clusters: clientsOf(scope),
  };
}

function clientsOf({ clusters }: ControllerScope): Record<string, Client> {
  const others = [...clusters.values()].filter(({ name }) => name !== OWN_CLUSTER);
  return Object.fromEntries(others.map(({ name, client }) => [name, client]));
}

function logAbout(scope: ControllerScope, object: KubernetesObject): Log {
  const key = keyOf(object);
  return {
    debug: (message, fields) => scope.logger.debug({ key, ...fields }, message),
    info: (message, fields) => scope.logger.info({ key, ...fields }, message),
    warn: (message, fields) => scope.logger.warn({ key, ...fields }, message),
    error: (message, fields) => scope.logger.error({ key, ...fields }, message),
  };
}
