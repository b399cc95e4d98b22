/** One line of a watch: what happened, and to which object. */
import type { KubernetesObject, ObjectMeta } from '@kurator/client';
import { findMetadata, startsWith } from './metadata-span.ts';
import { RawObject } from './raw-object.ts';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

export interface EventLine<T extends KubernetesObject> {
  readonly type: EventType;
  readonly object: RawObject<T>;
}

export interface EventLineOptions {
  /** Keeps `metadata.managedFields`: often more than half of an object, and nothing that a controller reads. */
  readonly keepManagedFields?: boolean | undefined;
}

/** Reads a line; undefined if it is none, as when the stream broke in the middle of it. */
export function parseEventLine<T extends KubernetesObject>(
  line: Uint8Array,
  options: EventLineOptions = {},
): EventLine<T> | undefined {
  const bytes = Buffer.isBuffer(line) ? line : Buffer.from(line.buffer, line.byteOffset, line.byteLength);
  return quickly<T>(bytes, options) ?? thoroughly<T>(bytes, options);
}

const PREFIXES = (['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'] as const).map((type) => ({
  type,
  bytes: Buffer.from(`{"type":"${type}","object":`),
}));
const CLOSE_BRACE = 0x7d;

/** As every API server writes an event. Undefined if it isn't so. */
function quickly<T extends KubernetesObject>(line: Buffer, options: EventLineOptions): EventLine<T> | undefined {
  const prefix = PREFIXES.find(({ bytes }) => startsWith(line, 0, bytes));
  const last = line.length - 1;
  if (!prefix || line[last] !== CLOSE_BRACE || line[last - 1] !== CLOSE_BRACE) return undefined;
  const json = line.subarray(prefix.bytes.length, last);
  const span = findMetadata(json);
  if (!span) return undefined;
  const { start, end } = span;
  const [cutStart, cutEnd] = options.keepManagedFields ? [end, end] : [span.cutStart, span.cutEnd];
  const metadata = parse(json.toString('utf8', start, cutStart) + json.toString('utf8', cutEnd, end)) as ObjectMeta;
  if (!metadata) return undefined;
  const parts = cutStart === cutEnd ? [json] : [json.subarray(0, cutStart), json.subarray(cutEnd)];
  return { type: prefix.type, object: RawObject.fromJson<T>(metadata, ...parts) };
}

function thoroughly<T extends KubernetesObject>(line: Buffer, options: EventLineOptions): EventLine<T> | undefined {
  const event = parse(line.toString('utf8'));
  if (!isEvent<T>(event)) return undefined;
  if (!options.keepManagedFields) delete event.object.metadata.managedFields;
  return { type: event.type, object: RawObject.fromObject(event.object) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isEvent<T extends KubernetesObject>(value: unknown): value is { type: EventType; object: T } {
  const event = value as { type?: unknown; object?: Partial<T> } | null | undefined;
  return (
    typeof event?.type === 'string' && typeof event.object?.metadata === 'object' && event.object.metadata !== null
  );
}
