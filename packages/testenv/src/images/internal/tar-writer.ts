/** Writes tar streams that depend on nothing but the entries: fixed times, owners as told, no user names. */
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Header, type Pack, pack } from 'tar-stream';
import { TestenvError } from '../../error.ts';
import { IMAGE_TIME } from './oci.ts';

/** One entry of an archive. Paths are relative, with `/`, without `./`. */
export interface TarEntry {
  path: string;
  type: Header['type'];
  /** Permission bits only. */
  mode: number;
  uid?: number;
  gid?: number;
  /** Where a symlink points, or the path of the entry that a hard link repeats. */
  linkname?: string;
  size?: number;
  /** For files: `size` bytes. */
  content?: () => Readable;
  devmajor?: number;
  devminor?: number;
}

/** A regular file from memory. */
export function fileEntry(path: string, content: string | Uint8Array, mode = 0o644): TarEntry {
  const bytes = Buffer.from(content);
  return { path, type: 'file', mode, size: bytes.byteLength, content: () => Readable.from([bytes]) };
}

/** The archive's bytes; an entry's content is opened only when its turn comes. */
export function tarStream(entries: Iterable<TarEntry>): Readable {
  const archive = pack();
  writeEntries(archive, entries).then(
    () => archive.finalize(),
    (error: Error) => archive.destroy(error),
  );
  // tar-stream brings its own kind of stream, which node's pipeline takes, but whose types are strangers to node's.
  return archive as unknown as Readable;
}

async function writeEntries(archive: Pack, entries: Iterable<TarEntry>): Promise<void> {
  for (const entry of entries) await writeEntry(archive, entry);
}

async function writeEntry(archive: Pack, entry: TarEntry): Promise<void> {
  if (entry.content) {
    await pipeline(entry.content(), exactly(entry), archive.entry(header(entry)) as unknown as Writable);
    return;
  }
  await new Promise<void>((resolve, reject) => {
    archive.entry(header(entry), (error) => (error ? reject(error) : resolve()));
  });
}

/** Passes the content on; fails where it is not as long as the header has already said. */
function exactly({ path, size = 0 }: TarEntry) {
  return async function* (chunks: AsyncIterable<Uint8Array>) {
    let left = size;
    for await (const chunk of chunks) {
      left -= chunk.byteLength;
      yield chunk;
    }
    if (left !== 0) throw changedMeanwhile(path);
  };
}

/** The largest number that fits the owner fields of the classic header; above it only an extended header will do. */
const LARGEST_ID = 0o777777;
/** tar-stream takes mode 0 for "not given"; the file-type bit keeps it away from 0 and is masked out when written. */
const REGULAR = 0o100000;

function header(entry: TarEntry): Partial<Header> & Pick<Header, 'name'> {
  const { path, mode, uid = 0, gid = 0, content: _, ...rest } = entry;
  const large = { ...(uid > LARGEST_ID ? { uid } : {}), ...(gid > LARGEST_ID ? { gid } : {}) };
  const pax = Object.keys(large).length > 0 ? { pax: large } : {};
  return { ...rest, ...pax, name: path, mode: REGULAR | mode, uid, gid, mtime: IMAGE_TIME };
}

function changedMeanwhile(path: string): TestenvError {
  return new TestenvError('KUR_TESTENV_IMAGE_SOURCE', `${path} changed while it was being read into an image.`, {
    remedy: 'Build again when nothing writes there.',
  });
}
