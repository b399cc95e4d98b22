/** Writes a status only if nobody has written the object since it was read: a stale writer fails, and then does nothing. */

import { isDeepStrictEqual } from 'node:util';
import {
  type Client,
  type Condition,
  type ConditionClaim,
  type KubernetesObject,
  type ResourceType,
  setCondition,
  withoutSecrets,
} from '@kurator/sdk';

type Fields = Readonly<Record<string, unknown>>;
type WithStatus = KubernetesObject & { status?: Fields };

/** What a status should be; fields that are not given are removed, conditions of other types are kept. */
export interface WantedStatus {
  readonly fields: Fields;
  readonly conditions?: readonly ConditionClaim[];
}

export interface StatusWrite<T extends KubernetesObject> {
  readonly client: Client;
  readonly type: ResourceType<T>;
  readonly fieldManager: string;
  readonly signal: AbortSignal;
  readonly now: number;
}

/**
 * The object as it is then; the same one if there was nothing to write.
 *
 * @throws A conflict if the object was changed since it was read.
 */
export async function writeStatus<T extends KubernetesObject>(
  object: T,
  wanted: WantedStatus,
  { client, type, fieldManager, signal, now }: StatusWrite<T>,
): Promise<T> {
  const { metadata, status: before } = object as T & WithStatus;
  const status = statusOf(object, wanted, now);
  const operations = statusPatch(before, status);
  if (operations.length === 0) return object;
  const unchanged = { op: 'replace', path: '/metadata/resourceVersion', value: metadata.resourceVersion };
  const options = { type: 'json', subresource: 'status', fieldManager, signal } as const;
  return await client.patch(type, metadata, [unchanged, ...operations], options);
}

function statusOf({ metadata, ...object }: WithStatus, { fields, conditions }: WantedStatus, now: number): Fields {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const known = object.status?.conditions as Condition[] | undefined;
  const claimed = (conditions ?? []).reduce(
    (list, claim) => setCondition(list, plain(claim) as unknown as ConditionClaim, metadata.generation, now),
    known as readonly Condition[] | undefined,
  );
  return {
    ...plain(Object.fromEntries(given)),
    ...(claimed && { conditions: claimed }),
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
  };
}

/**
 * JSON patch operations that make one status of another.
 *
 * @param kept Fields that are not ours to remove.
 */
export function statusPatch(before: Fields | undefined, after: Fields, kept?: ReadonlySet<string>): object[] {
  if (!before) return [{ op: 'add', path: '/status', value: after }];
  const changed = Object.entries(after).filter(([name, value]) => !isDeepStrictEqual(before[name], value));
  const gone = Object.keys(before).filter((name) => !(name in after) && !kept?.has(name));
  return [
    ...changed.map(([name, value]) => ({ op: 'add', path: `/status/${name}`, value })),
    ...gone.map((name) => ({ op: 'remove', path: `/status/${name}` })),
  ];
}

/** As the server will have it: without what JSON can't say, and without what looks like a secret. */
export function plain<T extends object>(fields: T): Record<string, unknown> {
  return JSON.parse(JSON.stringify(fields), (_, value) => (typeof value === 'string' ? withoutSecrets(value) : value));
}
