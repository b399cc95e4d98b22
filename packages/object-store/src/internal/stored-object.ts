/** What `get` gives, in both kinds. */
import { Readable } from 'node:stream';
import { ObjectStoreError } from '../error.ts';
import type { ObjectInfo, StoredObject } from '../object-store.ts';

const BYTES_LIMIT = 64 * 2 ** 20;

/** Makes a stream of what is read. `expected` is how many bytes will come; `close` runs also if nobody reads any. */
export function storedObject(
  info: ObjectInfo,
  expected: number,
  content: AsyncIterable<Buffer>,
  close: () => void,
): StoredObject {
  const body = Readable.from(content, { objectMode: false, highWaterMark: 256 * 1024 });
  body.once('close', close);
  return {
    info,
    body,
    async bytes(limit = BYTES_LIMIT) {
      if (expected > limit) {
        body.destroy();
        throw new ObjectStoreError(
          'KUR_STORE_TOO_LARGE',
          `${info.key} has ${expected} bytes, and ${limit} are allowed in memory: read \`body\`, or raise the limit.`,
          { key: info.key },
        );
      }
      return Buffer.concat(await body.toArray(), expected);
    },
  };
}
