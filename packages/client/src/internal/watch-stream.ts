import { ClientError, errorFromStatus } from '../error.ts';
import type { KubernetesObject, Status } from '../object.ts';
import type { WatchEvent } from '../watch-event.ts';
import { parseJson } from './json.ts';
import { linesOf } from './lines.ts';

type Frame<T extends KubernetesObject> = WatchEvent<T> | { type: 'ERROR'; object: Status };

/** Reads a watch's body: one JSON event a line. */
export async function* watchEvents<T extends KubernetesObject>(
  doing: string,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  for await (const line of linesOf(body)) {
    if (line === '') continue;
    const frame = parseFrame<T>(doing, line);
    if (frame.type === 'ERROR') throw errorFromStatus(doing, frame.object, frame.object.code ?? 500);
    yield frame;
  }
}

function parseFrame<T extends KubernetesObject>(doing: string, line: string): Frame<T> {
  const frame = parseJson(line) as Frame<T> | undefined;
  if (frame?.type && frame.object) return frame;
  throw new ClientError(
    'KUR_CLIENT_BAD_RESPONSE',
    `${doing}: the stream was cut inside an event (${line.length} characters that are no event)`,
  );
}
