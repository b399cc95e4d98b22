/** Which keys there are, the same for both kinds, so that what is in one can be moved to the other. */
import { ObjectStoreError } from '../error.ts';

const MAX_KEY = 1024;
/** A file's name has 255 bytes at most, and the folder adds a suffix. */
const MAX_SEGMENT = 240;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that XML, and people, can't read.
const UNPRINTABLE = /[\u0000-\u001f\u007f]/;

/** Refuses what can't be a key. */
export function checkKey(key: string): void {
  const trouble = troubleWith(key);
  if (trouble === undefined) return;
  const quoted = JSON.stringify(key.length > 100 ? `${key.slice(0, 100)}…` : key);
  throw new ObjectStoreError('KUR_STORE_KEY', `The key ${quoted} ${trouble}.`, { key });
}

function troubleWith(key: string): string | undefined {
  if (key === '') return 'is empty: give the object a name';
  if (!key.isWellFormed()) return 'is no valid Unicode: it has half of a surrogate pair';
  if (UNPRINTABLE.test(key)) return 'has a control character: use printable ones';
  if (Buffer.byteLength(key) > MAX_KEY) return `is longer than ${MAX_KEY} bytes of UTF-8: shorten it`;
  const segments = key.split('/');
  if (segments.includes('')) return 'begins or ends with "/", or has "//": name every part between two slashes';
  if (segments.some((segment) => segment === '.' || segment === '..')) return 'has "." or ".." as a part: leave it out';
  if (segments.some((segment) => Buffer.byteLength(segment) > MAX_SEGMENT))
    return `has a part between slashes of more than ${MAX_SEGMENT} bytes: shorten it`;
  return undefined;
}

/** Refuses a prefix that no key can have. */
export function checkPrefix(prefix: string): void {
  if (prefix.isWellFormed() && !UNPRINTABLE.test(prefix) && Buffer.byteLength(prefix) <= MAX_KEY) return;
  throw new ObjectStoreError(
    'KUR_STORE_KEY',
    `The prefix ${JSON.stringify(prefix.slice(0, 100))} can't be that of a key: it has control characters, or is too long.`,
  );
}

/** The order of S3: by the bytes of UTF-8, which is not that of JavaScript's strings. */
export function compareKeys(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
