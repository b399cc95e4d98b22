import type { Client } from './client.ts';
import { ClientError } from './error.ts';
import type { RequestOptions } from './options.ts';

/** The version of an API server. */
export interface ServerVersion {
  readonly major: number;
  readonly minor: number;
  /** For people, for example `v1.36.3`. */
  readonly text: string;
}

/** The Kubernetes whose kinds this package describes. */
export const describedVersion = { major: 1, minor: 36 } as const;
// As far as Kubernetes itself lets a client and its server be apart, and one more that still works.
const SKEW = 2;

/** As `/version` answers. */
interface VersionInfo {
  gitVersion?: string;
  /** Since 1.33: the version whose behaviour it shows, which may be an older one (`--emulated-version`). */
  emulationMajor?: string;
  emulationMinor?: string;
}

/** Asks the server for its version: that whose behaviour it shows. */
export async function serverVersion(client: Client, options: RequestOptions = {}): Promise<ServerVersion> {
  const { gitVersion = '', ...info } = await client.raw<VersionInfo>('GET', '/version', options);
  const built = parseServerVersion(gitVersion);
  const major = Number.parseInt(info.emulationMajor ?? `${built.major}`, 10);
  const minor = Number.parseInt(info.emulationMinor ?? `${built.minor}`, 10);
  if (major === built.major && minor === built.minor) return built;
  return { major, minor, text: `${gitVersion} in the manner of ${major}.${minor}` };
}

/** Understands `v1.36.3`, and what vendors make of it: `v1.35.2-gke.1`, `v1.34.0+k3s1`. */
export function parseServerVersion(text: string): ServerVersion {
  const { major, minor } = /^v?(?<major>\d+)\.(?<minor>\d+)/.exec(text)?.groups ?? {};
  if (major && minor) return { major: Number(major), minor: Number(minor), text };
  throw new ClientError('KUR_CLIENT_BAD_RESPONSE', `the server's version "${text}" is not one of Kubernetes`);
}

export function isAtLeast(server: ServerVersion, major: number, minor: number): boolean {
  return server.major > major || (server.major === major && server.minor >= minor);
}

/**
 * What to expect of a server of another version than this package was made for, in a sentence for the log; undefined
 * when it is near enough. It is no error: most of Kubernetes works across many versions.
 */
export function versionSkew(server: ServerVersion): string | undefined {
  const { major, minor } = describedVersion;
  const apart = server.major === major ? server.minor - minor : Number.POSITIVE_INFINITY * (server.major - major);
  if (Math.abs(apart) <= SKEW) return undefined;
  const which = apart < 0 ? 'older: some kinds and fields may be missing there' : 'newer: some kinds may be gone there';
  return `the API server is ${server.text}, and this client was made for ${major}.${minor}: it is much ${which}`;
}
