/** What kind of manifest a text is: containerd believes the header, and a blob on disk has none. */
import { TestenvError } from '../error.ts';

const OCI = 'application/vnd.oci.image';

/** The text's own word for it; OCI's manifests may leave that out, and then have the shape of one or the other. */
export function manifestType(text: string): string {
  const { mediaType, manifests } = parsed(text);
  if (typeof mediaType === 'string' && /^[\w.+/-]{1,255}$/.test(mediaType)) return mediaType;
  return manifests ? `${OCI}.index.v1+json` : `${OCI}.manifest.v1+json`;
}

function parsed(text: string): { mediaType?: unknown; manifests?: unknown } {
  try {
    return (JSON.parse(text) as object | null) ?? {};
  } catch (cause) {
    throw noJson(cause);
  }
}

function noJson(cause: unknown): TestenvError {
  return new TestenvError('KUR_TESTENV_REGISTRY', 'What the registry calls a manifest is not JSON', { cause });
}
