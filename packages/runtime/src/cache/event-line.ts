/** One line of a watch, as bytes: parsed once for what must be known now, kept as bytes for whoever reads it later. */
import type { KubernetesObject } from '@kurator/client';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

export interface EventLine<T extends KubernetesObject> {
  readonly type: EventType;
  readonly object: T;
  /** The object's JSON, in one piece or, where something was cut out of the middle, in two. */
  readonly parts: readonly Uint8Array[];
}

const END_OF_EVENT = 1; // the event's own closing brace

/** Reads a line; undefined if it is none, as when the stream broke in the middle of it. */
export function parseEventLine<T extends KubernetesObject>(line: Uint8Array): EventLine<T> | undefined {
  const bytes = asBuffer(line);
  const event = parse(bytes.toString('utf8'));
  if (!isEvent<T>(event)) return undefined;
  const prefix = `{"type":"${event.type}","object":`;
  const plain = bytes.subarray(0, prefix.length).toString('latin1') === prefix;
  // Every API server writes events like this. One that doesn't costs us a second serialisation, no more.
  const json = plain
    ? bytes.subarray(prefix.length, bytes.length - END_OF_EVENT)
    : Buffer.from(JSON.stringify(event.object));
  return { type: event.type, object: event.object, parts: [json] };
}

/**
 * Cuts `metadata.managedFields` out of an object's JSON and out of the object: often more than half of it, and nothing
 * that a controller reads.
 */
export function withoutManagedFields<T extends KubernetesObject>(event: EventLine<T>): EventLine<T> {
  if (!event.object.metadata?.managedFields) return event;
  delete event.object.metadata.managedFields;
  const [json] = event.parts;
  const parts = json && event.parts.length === 1 ? cut(asBuffer(json)) : undefined;
  return { ...event, parts: parts ?? [Buffer.from(JSON.stringify(event.object))] };
}

const FIELD = Buffer.from(',"managedFields":[');
const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x5b, 0x5d];

/** In JSON text a quote inside a string is escaped, so the field's name can't be found inside one. */
function cut(json: Buffer): Uint8Array[] | undefined {
  const start = json.indexOf(FIELD);
  const end = start < 0 ? -1 : endOfArray(json, start + FIELD.length - 1);
  return end < 0 ? undefined : [json.subarray(0, start), json.subarray(end + 1)];
}

/** Where the array that opens at `start` closes; -1 if nowhere. */
function endOfArray(json: Buffer, start: number): number {
  let depth = 0;
  for (let i = start; i < json.length; i++) {
    const byte = json[i];
    if (byte === QUOTE) i = endOfString(json, i);
    else if (byte === OPEN) depth++;
    else if (byte === CLOSE && --depth === 0) return i;
  }
  return -1;
}

function endOfString(json: Buffer, start: number): number {
  for (let i = start + 1; i < json.length; i++) {
    if (json[i] === BACKSLASH) i++;
    else if (json[i] === QUOTE) return i;
  }
  return json.length;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isEvent<T extends KubernetesObject>(value: unknown): value is { type: EventType; object: T } {
  const event = value as { type?: unknown; object?: unknown } | undefined;
  return typeof event?.type === 'string' && typeof event.object === 'object' && event.object !== null;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
