/** Manifests that make sense, and the content that they point at. */
import { isDigest } from '../blob.ts';
import type { RepositoryName } from '../image-name.ts';
import { type Descriptor, MANIFEST_TYPES, MEDIA_TYPE, type OciIndex, type OciManifest } from '../oci.ts';
import { Verifier } from './body.ts';
import type { Connection } from './connection.ts';
import { header } from './transport.ts';
import { badContent, mayPass } from './trouble.ts';

const INDEX_TYPES: readonly string[] = [MEDIA_TYPE.index, MEDIA_TYPE.dockerIndex];
/** How often one tries again while nothing comes. */
const TRIES = 4;
/** How often a blob is gone on with at most, also if each time a little comes. */
const MOST_RESUMPTIONS = 50;

/** A blob as it comes; an error in the place of its end if it is not what its descriptor promised. */
export async function* readContent(
  connection: Connection,
  descriptor: Descriptor,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const { place } = connection;
  const { digest, size } = checkedDescriptor(descriptor, place);
  const verifier = new Verifier({ digest, size }, place);
  let still = 0;
  for (let attempt = 1; verifier.size < size || attempt === 1; attempt++) {
    const start = verifier.size;
    try {
      for await (const chunk of await readFrom(connection, digest, start, signal)) {
        verifier.add(chunk);
        yield chunk;
      }
      if (verifier.size < size) throw badContent(place, `only ${verifier.size} of the ${size} bytes of ${digest}`);
    } catch (error) {
      signal?.throwIfAborted();
      still = verifier.size > start ? 1 : still + 1;
      if (still === TRIES || attempt === MOST_RESUMPTIONS || !mayPass(error)) throw error;
    }
  }
  verifier.end();
}

/** A blob from a byte on, also from a registry that can only begin at the start. */
async function readFrom(
  connection: Connection,
  digest: string,
  start: number,
  signal: AbortSignal | undefined,
): Promise<AsyncIterable<Uint8Array>> {
  const headers: Record<string, string> = start === 0 ? {} : { range: `bytes=${start}-` };
  const expected = start === 0 ? [200] : [200, 206];
  const answer = await connection.persist(signal, () =>
    connection.ask('GET', connection.url(`blobs/${digest}`), { expected, headers, signal }),
  );
  const isRest = answer.status === 206 && header(answer.headers, 'content-range')?.startsWith(`bytes ${start}-`);
  return isRest ? answer.body : skipping(answer.body, start);
}

async function* skipping(body: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  let left = bytes;
  for await (const chunk of body) {
    const rest = chunk.subarray(Math.min(left, chunk.byteLength));
    left -= chunk.byteLength - rest.byteLength;
    if (rest.byteLength > 0) yield rest;
  }
}

/**
 * Digests become names of files and parts of addresses: before anything is fetched, they must be digests. And all who read it must
 * understand the same: what could be taken for an index by one and for a manifest by another is neither.
 *
 * @param sentAs What the registry says that it is.
 */
export function checkedContent(content: object, place: RepositoryName, sentAs = ''): OciIndex | OciManifest {
  const { manifests, config, layers, subject, mediaType } = content as Partial<OciIndex & OciManifest>;
  if (manifests !== undefined && (layers !== undefined || config !== undefined))
    throw badContent(place, 'something that is both a manifest and an index');
  const types = [mediaType ?? '', sentAs].filter((type) => MANIFEST_TYPES.includes(type));
  const expected = Array.isArray(manifests)
    ? INDEX_TYPES
    : MANIFEST_TYPES.filter((type) => !INDEX_TYPES.includes(type));
  if (new Set(types).size > 1 || types.some((type) => !expected.includes(type)))
    throw badContent(place, `something else than its type says (${types.join(', ')})`);
  if (Array.isArray(manifests)) {
    for (const each of manifests) checkedDescriptor(each, place);
    return content as OciIndex;
  }
  if (!config || !Array.isArray(layers)) throw badContent(place, 'something that is neither a manifest nor an index');
  for (const each of [config, ...layers, ...(subject ? [subject] : [])]) checkedDescriptor(each, place);
  return content as OciManifest;
}

export function checkedDescriptor(descriptor: Partial<Descriptor> | null, place: RepositoryName): Descriptor {
  const { digest, size, mediaType } = descriptor ?? {};
  if (!isDigest(digest)) throw badContent(place, `${JSON.stringify(digest)?.slice(0, 200)} as a digest`);
  if (!Number.isSafeInteger(size) || Number(size) < 0) {
    throw badContent(place, `${JSON.stringify(size)?.slice(0, 40)} as the size of ${digest}`);
  }
  if (typeof mediaType !== 'string') throw badContent(place, `no media type for ${digest}`);
  return descriptor as Descriptor;
}
