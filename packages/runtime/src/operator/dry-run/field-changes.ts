/** From one form of an object to another, field by field, as a person would tell it. */
import type { KubernetesObject } from '@kurator/client';
import { isSecretName } from '../../redaction.ts';
import { isJsonObject, type JsonObject, sameJson } from '../../writing/json.ts';

/** One field that changes. Undefined before: it is new; undefined after: it goes. */
export interface FieldChange {
  /** For example `spec.template.spec.containers[web].image`. */
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** What stands for a value that must not be shown. */
export const HIDDEN = '(kept secret)';

/**
 * What is different between two forms of an object, or of a part of one, field by field; without what the server writes for itself.
 * Nothing is hidden: think before you log what may be a Secret's.
 *
 * @example for (const { path, before, after } of diff(status?.applied, spec)) log.info(`${path}: ${before} → ${after}`);
 */
export function diff(before: object | undefined, after: object | undefined): readonly FieldChange[] {
  const changes: FieldChange[] = [];
  compare(told(before), told(after), '', changes);
  return changes;
}

/** The differences, without what the server writes for itself, and without what is secret. */
export function fieldChanges(
  before: KubernetesObject | undefined,
  after: KubernetesObject | undefined,
): readonly FieldChange[] {
  const isSecret = (after ?? before)?.kind === 'Secret';
  return diff(before, after).map((change) => (isHidden(change.path, isSecret) ? hidden(change) : change));
}

const serverMetadata = [
  'managedFields',
  'resourceVersion',
  'uid',
  'generation',
  'creationTimestamp',
  'selfLink',
] as const;
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const times = new Set(['lastTransitionTime', 'lastUpdateTime', 'lastHeartbeatTime']);

function told(given: object | undefined): JsonObject | undefined {
  if (!given || !('metadata' in given && 'kind' in given)) return given as JsonObject | undefined;
  const object = given as KubernetesObject;
  const { apiVersion: _, kind: _kind, ...rest } = object;
  const metadata: Record<string, unknown> = { ...object.metadata };
  for (const field of serverMetadata) delete metadata[field];
  const { [lastApplied]: _copy, ...annotations } = object.metadata.annotations ?? {};
  delete metadata.annotations;
  return { ...rest, metadata: { ...metadata, ...(Object.keys(annotations).length > 0 ? { annotations } : {}) } };
}

function compare(before: unknown, after: unknown, path: string, changes: FieldChange[]): void {
  if (sameJson(before, after)) return;
  const [one, other] = [entriesOf(before), entriesOf(after)];
  // What is new or goes as a whole is told leaf by leaf; what becomes something else altogether, as one.
  const isNested = (one || before === undefined) && (other || after === undefined);
  if (!isNested) {
    changes.push({ path, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) });
    return;
  }
  for (const name of new Set([...(one?.keys() ?? []), ...(other?.keys() ?? [])])) {
    if (!times.has(name.slice(1))) compare(one?.get(name), other?.get(name), joined(path, name), changes);
  }
}

/** Parts by how they are written in a path: `.name` or `[name]`. */
type Entries = ReadonlyMap<string, unknown>;

function entriesOf(value: unknown): Entries | undefined {
  if (Array.isArray(value)) return listEntries(value);
  if (!isJsonObject(value)) return undefined;
  const given = Object.entries(value).filter(([, field]) => field !== undefined);
  return given.length > 0 ? new Map(given.map(([name, field]) => [`.${name}`, field])) : undefined;
}

// By which list items are called in Kubernetes, where they have a name at all.
const names = ['name', 'type', 'uid', 'ip', 'containerPort', 'port', 'mountPath'] as const;

function listEntries(list: readonly unknown[]): Entries | undefined {
  if (!list.some((item) => isJsonObject(item))) return undefined;
  const by = names.find((name) => {
    const values = list.map((item) => (isJsonObject(item) ? item[name] : undefined));
    return values.every((value) => value !== undefined) && new Set(values).size === list.length;
  });
  return new Map(list.map((item, i) => [`[${by ? (item as JsonObject)[by] : i}]`, item]));
}

function joined(path: string, name: string): string {
  return path === '' && name.startsWith('.') ? name.slice(1) : path + name;
}

function isHidden(path: string, isSecret: boolean): boolean {
  if (isSecret && /^(data|stringData)\b/.test(path)) return true;
  const [last = '', before = ''] = path.split(/[.[\]]+/).reverse();
  // `env[DB_PASSWORD].value`: there it is the item's name that tells.
  return isSecretName(last) || (last === 'value' && isSecretName(before));
}

function hidden({ path, before, after }: FieldChange): FieldChange {
  return {
    path,
    ...(before === undefined ? {} : { before: HIDDEN }),
    ...(after === undefined ? {} : { after: HIDDEN }),
  };
}

const LONGEST = 200;

/** A change in one line for people: `spec.replicas: 1 → 2`. */
export function fieldChangeText({ path, before, after }: FieldChange): string {
  const [old, now] = [before, after].map((value) => (value === undefined ? undefined : shown(value)));
  if (old === undefined) return `${path}: ${now}`;
  return now === undefined ? `${path}: ${old} → (removed)` : `${path}: ${old} → ${now}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}
