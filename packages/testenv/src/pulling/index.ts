/** Images from elsewhere, for nodes that have no way out. */
import { cacheFolder } from '../folders.ts';
import { openBlobStore } from './blob-store.ts';
import { type Mirror, startMirror, TOKEN_HEADER } from './mirror.ts';

export type { Mirror } from './mirror.ts';

/** Bytes that all images pulled by a user's clusters may take in the cache. */
const CACHE_LIMIT = 10 * 1024 ** 3;

/** A mirror that keeps what it fetched in the user's cache. */
export async function startPulling(address: string, nodes: readonly string[]): Promise<Mirror> {
  const store = await openBlobStore({ folder: cacheFolder('pulled'), limit: CACHE_LIMIT });
  return await startMirror({ address, nodes, store });
}

/**
 * The `hosts.toml` of containerd's `_default` folder: every registry that has no folder of its own is asked for there. The
 * mirror is the server itself, and not a host before it: containerd would then try the registry as well, which a node
 * can't reach, and the pod would be told of that instead of the mirror's reason.
 */
export function mirrorHosts({ url, token }: Pick<Mirror, 'url' | 'token'>): string {
  return `server = "${url}"
capabilities = ["pull", "resolve"]

[header]
  ${TOKEN_HEADER} = ["${token}"]

# containerd 1.6 takes a file without this for no file at all.
[host]
`;
}
