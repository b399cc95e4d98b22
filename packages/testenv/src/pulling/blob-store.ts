/**
 * What was pulled once, by digest, in one folder for all clusters of a user. Nothing is in it that does not have the digest
 * it is called by; what was not asked for longest goes first when it grows too large.
 */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TestenvError } from '../error.ts';
import { mapNoSpace, requireSpace } from '../internal/disk-space.ts';
import { isAlive, ownerToken, parseOwner } from '../process/owner.ts';

/** A blob on this machine's disk. */
export interface StoredBlob {
  readonly digest: string;
  readonly path: string;
  readonly size: number;
}

/** Where blobs are kept, and how many bytes of them. */
export interface BlobStoreOptions {
  readonly folder: string;
  /** Bytes; the newest blob stays even if it is larger. */
  readonly limit: number;
}

export interface BlobStore {
  find(digest: string): Promise<StoredBlob | undefined>;
  /**
   * Keeps what a stream gives, at most `most` bytes; refused where it does not have the digest. Without a digest it is
   * kept by the one that it has.
   */
  keep(body: Readable, expected: Expected): Promise<StoredBlob>;
}

export interface Expected {
  readonly digest?: string | undefined;
  /** Bytes that the disk must have room for; 0 where nobody knows. */
  readonly size: number;
  readonly most: number;
}

export async function openBlobStore({ folder, limit }: BlobStoreOptions): Promise<BlobStore> {
  const [blobs, unfinished] = [join(folder, 'blobs'), join(folder, 'unfinished')];
  await Promise.all([blobs, unfinished].map((path) => mkdir(path, { recursive: true, mode: 0o700 })));
  await sweep(unfinished);
  const pathOf = (digest: string) => join(blobs, digest.replace(':', '-'));

  return {
    async find(digest) {
      const path = pathOf(digest);
      const found = await stat(path).catch(() => undefined);
      if (!found) return undefined;
      const now = new Date();
      await utimes(path, now, now).catch(() => {});
      return { digest, path, size: found.size };
    },
    async keep(body, { digest, size, most }) {
      const temporary = join(unfinished, ownerToken());
      try {
        await requireSpace('an image', [{ folder: unfinished, bytes: Math.min(size, most) }]);
        const written = await write(body, temporary, most);
        if (digest && written.digest !== digest) throw damaged(digest, written.digest);
        const path = pathOf(written.digest);
        await rename(temporary, path);
        await trim(blobs, limit, path);
        return { ...written, path };
      } catch (error) {
        body.destroy();
        throw mapNoSpace(error, 'an image');
      } finally {
        await rm(temporary, { force: true });
      }
    },
  };
}

async function write(body: Readable, path: string, most: number): Promise<{ digest: string; size: number }> {
  const hash = createHash('sha256');
  let size = 0;
  const meter = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      size += chunk.byteLength;
      hash.update(chunk);
      done(size > most ? tooLarge(most) : null, chunk);
    },
  });
  await pipeline(body, meter, createWriteStream(path, { mode: 0o600 }));
  return { digest: `sha256:${hash.digest('hex')}`, size };
}

/** Whoever reads a file that goes has it open, and reads on. */
async function trim(folder: string, limit: number, newest: string): Promise<void> {
  const paths = (await readdir(folder)).map((name) => join(folder, name));
  const files = await Promise.all(
    paths.map(async (path) => {
      const { size, mtimeMs } = await stat(path).catch(() => ({ size: 0, mtimeMs: 0 }));
      return { path, size, usedAt: path === newest ? Number.POSITIVE_INFINITY : mtimeMs };
    }),
  );
  let total = 0;
  for (const { path, size } of files.sort((a, b) => b.usedAt - a.usedAt)) {
    total += size;
    if (total > limit && path !== newest) await rm(path, { force: true });
  }
}

/** What processes that are gone left. */
async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const owner = parseOwner(name);
    if (owner && isAlive(owner) === false) await rm(join(folder, name), { force: true }).catch(() => {});
  }
}

function damaged(digest: string, found: string): TestenvError {
  return new TestenvError('KUR_TESTENV_REGISTRY', `What the registry gave as ${digest} is ${found}`, {
    remedy: 'Try again; if it stays so, the registry or a proxy on the way is broken.',
  });
}

function tooLarge(most: number): TestenvError {
  return new TestenvError(
    'KUR_TESTENV_REGISTRY',
    `The registry gave more than ${most} bytes, which nothing here has.`,
    {
      remedy: 'Use a smaller image.',
    },
  );
}
