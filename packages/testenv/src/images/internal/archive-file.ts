/** One image archive on disk: its entries by name, and the error for every way in which it can fail to be one. */
import { open, stat } from 'node:fs/promises';
import { TestenvError } from '../../error.ts';
import { readStretch, sha256OfStream } from './blob.ts';
import { NotTarError, readTarIndex, type TarStretch } from './tar-index.ts';

export interface ArchiveFile {
  path: string;
  entries: ReadonlyMap<string, TarStretch>;
}

/** Manifests and configurations are a few kilobytes; a larger one is not read into memory. */
const LARGEST_JSON = 16 * 1024 * 1024;

/** Opens any tar archive; whether it holds an image is not looked at yet. */
export async function openArchiveFile(path: string): Promise<ArchiveFile> {
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw notAnImage(path, error.code === 'ENOENT' ? 'there is no such file' : error.message, 'Check the path.', error);
  });
  if (stats.isDirectory()) throw notAnImage(path, 'it is a folder', 'Use imageFromFolder() to make an image of it.');
  if (stats.size === 0) throw notAnImage(path, 'it is empty');
  const compression = COMPRESSIONS[await firstBytes(path)];
  if (compression) {
    const remedy = `Unpack it first: \`${compression} -dc ${path} > unpacked.tar\`.`;
    throw notAnImage(path, `it is compressed with ${compression}`, remedy);
  }
  try {
    return { path, entries: await readTarIndex(path) };
  } catch (error) {
    throw error instanceof NotTarError ? notAnImage(path, error.message, undefined, error) : error;
  }
}

/** A JSON entry, as bytes (for its digest) and as the value, which the caller has yet to trust. */
export async function readJson(archive: ArchiveFile, name: string): Promise<{ bytes: Buffer; value: unknown }> {
  const { offset, size } = requireEntry(archive, name);
  if (size > LARGEST_JSON) throw notAnImage(archive.path, `${name} in it is too large to be JSON`);
  const chunks: Buffer[] = [];
  for await (const chunk of readStretch(archive.path, offset, size)) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  try {
    return { bytes, value: JSON.parse(bytes.toString('utf8')) };
  } catch (error) {
    throw notAnImage(archive.path, `${name} in it is not JSON`, undefined, error);
  }
}

/** An entry that the archive promises to have. */
export function requireEntry(archive: ArchiveFile, name: string): TarStretch {
  const found = archive.entries.get(name);
  if (!found) throw notAnImage(archive.path, `it has no ${name}`);
  return found;
}

export async function digestOfEntry({ path }: ArchiveFile, { offset, size }: TarStretch): Promise<string> {
  return await sha256OfStream(readStretch(path, offset, size));
}

/** gzip's two magic bytes at the start of an entry. */
export async function isGzip({ path }: ArchiveFile, { offset }: TarStretch): Promise<boolean> {
  return (await firstBytes(path, offset)) === '1f8b';
}

export function notAnImage(path: string, why: string, remedy = REMEDY, cause?: unknown): TestenvError {
  return new TestenvError('KUR_TESTENV_NOT_AN_IMAGE', `${path} is not an image archive: ${why}.`, { remedy, cause });
}

const REMEDY =
  'Make one with imageFromFolder() and its siblings, `docker save -o FILE IMAGE`, or `skopeo copy … oci-archive:FILE:NAME`.';

const COMPRESSIONS: Record<string, string> = { '1f8b': 'gzip', '28b5': 'zstd', fd37: 'xz', '425a': 'bzip2' };

async function firstBytes(path: string, position = 0): Promise<string> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, position);
    return buffer.toString('hex', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
