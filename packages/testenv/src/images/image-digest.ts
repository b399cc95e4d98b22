import { parseImageName } from './image-name.ts';
import { isDigest } from './internal/blob.ts';
import { MANIFEST_TYPES } from './internal/oci.ts';
import { RegistrySession } from './internal/registry-session.ts';
import { type PushOptions, registryUrl } from './push-image.ts';

/**
 * What a registry has under a name just now; undefined where it has nothing. `registry` is a URL, `source` is
 * `repository:tag` there. Asked once: who can't wait gives a signal.
 */
export async function imageDigest(
  registry: string,
  source: string,
  { credentials, signal }: Omit<PushOptions, 'reporter'> = {},
): Promise<string | undefined> {
  const base = registryUrl(registry);
  const { repository, tag } = parseImageName(`${base.host.includes(':') ? base.host : `${base.host}:443`}/${source}`);
  const session = new RegistrySession({ registry: base, repository, actions: 'pull', credentials, signal });
  try {
    const accept = MANIFEST_TYPES.join(', ');
    const { headers } = await session.ask('HEAD', session.url(`manifests/${tag}`), {
      expected: [200, 404],
      headers: { accept },
    });
    const digest = headers['docker-content-digest'];
    return isDigest(digest) ? digest : undefined;
  } finally {
    await session.close();
  }
}
