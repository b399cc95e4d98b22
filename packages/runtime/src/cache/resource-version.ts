import { compareResourceVersions } from '@kurator/client';

/** Whether one version of an object is known to be older than another; where that can't be said, the later arrival counts. */
export function isOlder(version: string | undefined, than: string | undefined): boolean {
  return version !== undefined && than !== undefined && (compareResourceVersions(version, than) ?? 0) < 0;
}
