/** Room on the disk: asked for before long work starts, and named plainly where it runs out in the middle. */
import { mkdir, stat, statfs } from 'node:fs/promises';
import { TestenvError } from '../error.ts';

/** So many bytes will be written below that folder. */
export interface SpaceNeed {
  readonly folder: string;
  readonly bytes: number;
}

/** Fails unless every file system has room for all that will be written to it. */
export async function requireSpace(purpose: string, needs: readonly SpaceNeed[]): Promise<void> {
  const byDevice = new Map<number, SpaceNeed>();
  for (const need of needs) {
    await mkdir(need.folder, { recursive: true });
    const { dev } = await stat(need.folder);
    const earlier = byDevice.get(dev);
    byDevice.set(dev, { folder: earlier?.folder ?? need.folder, bytes: need.bytes + (earlier?.bytes ?? 0) });
  }
  for (const { folder, bytes } of byDevice.values()) {
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize >= bytes) continue;
    throw noSpace(
      `${purpose} needs ${gigabytes(bytes)} on the disk of ${folder}; ${gigabytes(bavail * bsize)} are free.`,
    );
  }
}

/** The same error, but named as lack of space where that is what it is. */
export function mapNoSpace(error: unknown, purpose: string): unknown {
  const { code, message = '' } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === 'KUR_TESTENV_NO_SPACE') return error;
  const isFull = code === 'ENOSPC' || code === 'EDQUOT' || /no space left on device|disk quota exceeded/i.test(message);
  return isFull ? noSpace(`The disk became full: ${purpose} could not be finished.`, error) : error;
}

function noSpace(message: string, cause?: unknown): TestenvError {
  return new TestenvError('KUR_TESTENV_NO_SPACE', message, {
    remedy: 'Free space there, or move the cache by setting XDG_CACHE_HOME (for Go also GOCACHE and GOMODCACHE).',
    cause,
  });
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}
