/** Puts into an author's hands what his reconcile may use. */
import type { Client, KubernetesObject, Manifest, ResourceType } from '@kurator/client';
import { keyFor, keyOf } from '../../object-key.ts';
import { declarationOf } from '../../writing/declaration.ts';
import type { DeclarativeContext } from '../../writing/declarative.ts';
import type { AuthorContext, Log, TellEvent } from '../author.ts';
import type { Children, ChildSettings } from '../child.ts';
import { HOME } from '../definition.ts';
import { requeue } from '../requeue.ts';
import { applyChildren } from './apply-children.ts';
import { marked, refuseOthers } from './elsewhere.ts';
import type { OwnedKind } from './lookups.ts';
import { type Room, roomClient } from './room.ts';
import { surplusOf } from './surplus.ts';

/** What was applied elsewhere, by cluster. */
export type DeclaredElsewhere = Map<string, Set<string>>;

export type AnyContext = AuthorContext<string, string>;

export function authorContext(
  room: Room,
  object: KubernetesObject,
  context: DeclarativeContext,
  declared: DeclaredElsewhere = new Map(),
): AnyContext {
  const { lookups, dryRun } = room;
  const { signal } = context;

  const apply = async <C extends KubernetesObject>(
    type: ResourceType<C>,
    manifest: Manifest<C>,
    { cluster, exact = [] }: ChildSettings<string> = {},
  ): Promise<C> => {
    const kind = lookups.owned(type, cluster);
    const applied = kind.elsewhere ? await applyElsewhere(kind, type, manifest) : await context.apply(type, manifest);
    const surplus = surplusOf(applied, manifest, exact);
    if (!surplus) return applied;
    const { fieldManager } = room;
    const stripped = await roomClient(room, kind.cluster).patch(type, applied.metadata, surplus, {
      fieldManager,
      signal,
    });
    kind.cache.observe(stripped);
    return stripped;
  };

  const applyElsewhere = async <C extends KubernetesObject>(
    kind: OwnedKind<C>,
    type: ResourceType<C>,
    manifest: Manifest<C>,
  ): Promise<C> => {
    const wanted = marked(type, manifest, object, room.fieldManager);
    const reference = { name: wanted.metadata.name ?? '', namespace: wanted.metadata.namespace };
    const names = declared.get(kind.cluster) ?? new Set();
    declared.set(kind.cluster, names.add(declarationOf(type, keyFor(reference))));
    const live = kind.cache.get(reference);
    if (live) refuseOthers(object, live);
    return await room.writer(kind.cluster).apply(type, wanted, { signal });
  };

  return {
    ...context,
    ...equipment(room, object),
    apply,
    async applyAll(children) {
      const applied = await applyChildren(children, ({ type, manifest, options }) => apply(type, manifest, options));
      return applied as Children<typeof children>;
    },
    owned: (type, { cluster } = {}) => lookups.owned(type, cluster).cache.ownedBy(object.metadata.uid ?? ''),
    requeue,
    dryRun,
  };
}

/** What every function of an author may use: looking, telling, logging, and clients. */
export function equipment(room: Room, object: KubernetesObject) {
  const { home, lookups } = room;
  const event: TellEvent = (type, reason, message, { action = 'Reconcile', related } = {}) =>
    home.events.record(object, { type, reason, action, note: message, ...(related ? { related } : {}) });
  return {
    ...lookups.from(object.metadata.namespace),
    event,
    log: logAbout(room, object),
    client: home.client,
    clusters: clientsOf(room),
  };
}

function clientsOf({ sites }: Room): Record<string, Client> {
  const others = [...sites.values()].filter(({ name }) => name !== HOME);
  return Object.fromEntries(others.map(({ name, client }) => [name, client]));
}

function logAbout(room: Room, object: KubernetesObject): Log {
  const key = keyOf(object);
  return {
    debug: (message, fields) => room.logger.debug({ key, ...fields }, message),
    info: (message, fields) => room.logger.info({ key, ...fields }, message),
    warn: (message, fields) => room.logger.warn({ key, ...fields }, message),
    error: (message, fields) => room.logger.error({ key, ...fields }, message),
  };
}
