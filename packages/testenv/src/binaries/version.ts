import { TestenvError } from '../error.ts';

/** The Kubernetes that is used where nobody asks for another. */
export const defaultVersion = '1.36.3';

/** CoreDNS, which does not follow Kubernetes' versions. */
export const corednsVersion = '1.15.0';

/** What nodes run containers with where the machine has nothing: versions that don't follow Kubernetes', either. */
export const containerdVersion = '2.4.2';
export const runcVersion = '1.5.2';
export const cniVersion = '1.9.1';

interface Minor {
  /** The patch release that the bare minor stands for. */
  version: string;
  /** The etcd that this minor is built with. */
  etcd: string;
  /** The oldest Go that builds it. */
  go: string;
}

const minors: Readonly<Record<string, Minor>> = {
  '1.36': { version: defaultVersion, etcd: '3.6.8', go: '1.26.0' },
  '1.35': { version: '1.35.4', etcd: '3.6.5', go: '1.25.0' },
  '1.34': { version: '1.34.4', etcd: '3.6.4', go: '1.24.0' },
};

const newest = minors['1.36'] as Minor;

/**
 * The exact version that a person means: `1.36` is that minor's known patch release, and any exact
 * `1.36.2` (also `v1.36.2`, `1.37.0-beta.1`) is taken at its word.
 */
export function parseVersion(text: string): string {
  const bare = text.trim().replace(/^v/, '');
  if (/^1\.\d+\.\d+(-[0-9a-z.]+)?$/.test(bare)) return bare;
  const minor = minors[bare];
  if (minor) return minor.version;
  throw new TestenvError('KUR_TESTENV_UNKNOWN_VERSION', `"${text}" is no Kubernetes version that is known here.`, {
    remedy: knownVersions,
  });
}

/** What to ask for instead of a version that nobody has. */
export const knownVersions = `Ask for ${Object.entries(minors)
  .map(([minor, { version }]) => `${minor} (${version})`)
  .join(', ')} or for an exact version such as ${defaultVersion}.`;

/** The etcd release that goes with a Kubernetes version. */
export function etcdVersion(kubernetes: string): string {
  return minorOf(kubernetes).etcd;
}

/** A Go that is old enough to be found and new enough to try; the module itself has the last word. */
export function goVersionFor(kubernetes: string): string {
  return minorOf(kubernetes).go;
}

/** Negative where `a` is older than `b`; what follows a patch number (`-rc.1`) is not looked at. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [numbers(a), numbers(b)];
  for (const index of [0, 1, 2]) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function minorOf(kubernetes: string): Minor {
  return minors[kubernetes.split('.').slice(0, 2).join('.')] ?? newest;
}

function numbers(version: string): number[] {
  return (version.match(/\d+/g) ?? []).slice(0, 3).map(Number);
}
