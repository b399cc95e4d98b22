import { ClientError, errorFromStatus } from '../error.ts';
import type { KubernetesObject, Status } from '../object.ts';
import type { ResourceType } from '../resource-type.ts';
import type { WatchEvent } from '../watch-event.ts';
import { parseJson } from './json.ts';
import { lineCutter, textOf } from './lines.ts';

/**
 * Cuts a watch's body into its events, a batch for each chunk that the network delivers, unparsed. Whoever has many
 * events to take in waits once a chunk, not once an event. An event that reports a failure is thrown.
 */
export async function* watchLines(
  doing: string,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array[], void, undefined> {
  const cutter = lineCutter();
  for await (const chunk of body) {
    const lines = cutter.cut(chunk);
    const trouble = lines.findIndex((line) => isError(line));
    if (trouble > 0) yield lines.slice(0, trouble);
    if (trouble >= 0) throw errorFrom(doing, lines[trouble] ?? new Uint8Array());
    if (lines.length > 0) yield lines;
  }
  const rest = cutter.rest();
  if (rest) throw cutOff(doing, rest.length);
}

/** Reads a watch's body: one JSON event a line. */
export async function* watchEvents<T extends KubernetesObject>(
  doing: string,
  type: ResourceType<T>,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  for await (const lines of watchLines(doing, body)) {
    for (const line of lines) {
      if (line.length > 0) yield parseEvent(doing, type, line);
    }
  }
}

// The server writes an event's type first, always in the same way: {"type":"ERROR","object":…
const TYPE_AT = 9;
const LETTER_E = 0x45;

function isError(line: Uint8Array): boolean {
  return line[TYPE_AT] === LETTER_E && textOf(line.subarray(0, TYPE_AT + 6)) === '{"type":"ERROR"';
}

function errorFrom(doing: string, line: Uint8Array): ClientError {
  const frame = parseJson(textOf(line)) as { object?: Status } | undefined;
  if (!frame?.object) return cutOff(doing, line.length);
  return errorFromStatus(doing, frame.object, frame.object.code ?? 500);
}

function parseEvent<T extends KubernetesObject>(doing: string, type: ResourceType<T>, line: Uint8Array): WatchEvent<T> {
  const event = parseJson(textOf(line)) as WatchEvent<T> | undefined;
  if (!event?.type || !event.object) throw cutOff(doing, line.length);
  // Asked for metadata only, the server calls every object a PartialObjectMetadata: it should know its own kind.
  if (event.object.kind === 'PartialObjectMetadata') {
    Object.assign(event.object, { apiVersion: type.apiVersion, kind: type.kind });
  }
  return event;
}

function cutOff(doing: string, length: number): ClientError {
  return new ClientError(
    'KUR_CLIENT_BAD_RESPONSE',
    `${doing}: the stream was cut inside an event (${length} bytes that are no event)`,
  );
}
