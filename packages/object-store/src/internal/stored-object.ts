/** What `get` gives, in both kinds. */
import { Readable } from 'node:stream';
import { ObjectStoreError } from '../error.ts';
import type { ObjectInfo, StoredObject } from '../object-store.ts';

const BYTES_LIMIT = 64 * 2 ** 20;

/** Makes a stream of what is read. `expected` is how many bytes will come; `close` runs at once when nobody wants more. */
export function storedObject(
  info: ObjectInfo,
  expected: number,
  content: AsyncIterator<Buffer>,
  close: () => void,
): StoredObject {
  // Not `Readable.from`: that waits for a read that hangs before it closes anything.
  const body = new Readable({
    highWaterMark: 256 * 1024,
    read() {
      content.next().then(
        ({ value, done }) => this.push(done ? null : value),
        (error) => this.destroy(error),
      );
    },
    destroy(error, done) {
      close();
      done(error);
    },
  });
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
