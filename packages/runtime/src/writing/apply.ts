import { isConflict, type KubernetesObject, type Manifest, type ResourceType, type Secret } from '@kurator/client';
import { RuntimeError } from '../error.ts';
import { keyOf } from '../object-key.ts';
import { AppliedMemory } from './applied-memory.ts';
import { declarationOf, managedByLabel } from './declaration.ts';
import { fingerprintOf } from './json.ts';
import { controllerReference, refuseForeignChild, refuseRemoteOwner } from './owner.ts';
import type { Apply } from './write-options.ts';
import type { WritingTools } from './writing-tools.ts';

/**
 * An apply with a field that its kind doesn't have is refused in any case. Asked to look for such fields first, the
 * server would parse what we send a second time.
 */
const fieldValidation = 'Ignore';

/** Server-side apply, left out where the cache shows that it would change nothing. */
export function createApply(tools: WritingTools): Apply {
  const { client, fieldManager, counts } = tools;
  const memory = new AppliedMemory(fieldManager);
  return async (type, manifest, { owner, force = true, adopt, refuse, signal } = {}) => {
    const wanted = complete(type, manifest, owner, fieldManager);
    const refuseIt = owner ? (live: KubernetesObject) => refuseForeignChild(owner, live, fieldManager, adopt) : refuse;
    const cache = tools.cacheOf(type);
    const live = cache?.get(wanted.metadata);
    if (live) refuseIt?.(live);
    const id = declarationOf(type, keyOf(wanted));
    const fingerprint = cache ? fingerprintOf(wanted) : '';
    if (live && memory.isApplied(id, fingerprint, wanted, live)) {
      counts.spared++;
      return live;
    }
    const send = (force: boolean) => client.apply(type, wanted, { fieldManager, force, signal, fieldValidation });
    const isNew = cache !== undefined && live === undefined && refuseIt !== undefined;
    const answer = isNew
      ? await sendNew(send, force, {
          isCertain: cache.covers?.(wanted.metadata) ?? true,
          async look() {
            const there = await client.find(type, wanted.metadata, { signal });
            if (there) refuseIt(there);
            return there !== undefined;
          },
        })
      : await send(force);
    if (cache) memory.remember(id, fingerprint, answer);
    return tools.observed(type, answer);
  };
}

/** What the cache has none of by that name. */
interface Unknown {
  /** Whether it would have one. */
  readonly isCertain: boolean;
  /** Asks the server whether there is one. @throws if it must not be touched. */
  look(): Promise<boolean>;
}

/**
 * The server is asked first where the cache may not know of what is there. Where it would, the one case left is that somebody
 * has made it in the meantime: then the fields are his, an apply without force is a conflict, and it costs no request to try.
 */
async function sendNew<T>(send: (force: boolean) => Promise<T>, force: boolean, child: Unknown): Promise<T> {
  if (!child.isCertain && (await child.look())) return await send(force);
  try {
    return await send(false);
  } catch (error) {
    if (!force || !isConflict(error)) throw error;
    await child.look();
    return await send(force);
  }
}

/** With everything that the caller may leave to us. */
function complete<T extends KubernetesObject>(
  type: ResourceType<T>,
  manifest: Manifest<T>,
  owner: KubernetesObject | undefined,
  fieldManager: string,
): T {
  const { apiVersion, kind } = type;
  const { name, labels, ownerReferences = [] } = manifest.metadata;
  const namespace = manifest.metadata.namespace ?? (type.namespaced ? owner?.metadata.namespace : undefined);
  if (!name) {
    throw new RuntimeError('KUR_RUNTIME_NO_NAME', `${kind}: only an object with a name can be applied`, {
      remedy: 'give metadata.name; to let the server make up a name, use client.create',
    });
  }
  const metadata = { ...manifest.metadata, name, ...(namespace ? { namespace } : {}) };
  const wanted = encoded({ apiVersion, kind, ...manifest, metadata } as unknown as T);
  if (!owner) return wanted;
  refuseRemoteOwner(owner, type, wanted);
  wanted.metadata.labels = { ...labels, [managedByLabel]: fieldManager };
  wanted.metadata.ownerReferences = [...ownerReferences, controllerReference(owner)];
  return wanted;
}

/**
 * A Secret's `stringData` can be written and never read, so nobody could see that it was changed: it is sent as the
 * `data` that the server would make of it.
 */
function encoded<T extends KubernetesObject>(wanted: T): T {
  if (wanted.kind !== 'Secret' || wanted.apiVersion !== 'v1') return wanted;
  const { stringData, data, ...rest } = wanted as T & Pick<Secret, 'stringData' | 'data'>;
  if (!stringData) return wanted;
  const texts = Object.entries(stringData).map(([name, text]) => [name, Buffer.from(text).toString('base64')]);
  return { ...rest, data: { ...data, ...Object.fromEntries(texts) } } as unknown as T;
}
