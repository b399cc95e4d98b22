/** Puts something beside an image in a registry: an artifact whose manifest names the image as its subject (OCI 1.1). */
import { type Blob, blobOfBytes, blobOfJson } from './blob.ts';
import { descriptorOf } from './manifest.ts';
import { type Descriptor, MEDIA_TYPE, type OciIndex } from './oci.ts';
import type { RegistrySession } from './registry-session.ts';

/** Something that belongs to an image: its bill of materials, a signature. */
export interface Attachment {
  /** What it is, as a media type: `application/spdx+json`. */
  readonly artifactType: string;
  readonly content: Uint8Array;
}

/** What an artifact without a configuration has in its place, by the specification. */
const EMPTY_TYPE = 'application/vnd.oci.empty.v1+json';
const empty = blobOfBytes(Buffer.from('{}'));

interface Sending {
  readonly session: RegistrySession;
  readonly sendBlob: (blob: Blob) => Promise<void>;
}

/** @param subject The image's manifest. */
export async function attach(
  { session, sendBlob }: Sending,
  subject: Descriptor,
  { artifactType, content }: Attachment,
): Promise<void> {
  const blob = blobOfBytes(content);
  for (const each of [empty, blob]) await session.persist(() => sendBlob(each));
  const manifest = blobOfJson({
    schemaVersion: 2,
    mediaType: MEDIA_TYPE.manifest,
    artifactType,
    config: descriptorOf(EMPTY_TYPE, empty),
    layers: [descriptorOf(artifactType, blob)],
    subject,
  });
  const headers = await put(session, manifest.digest, manifest, MEDIA_TYPE.manifest);
  // Such a registry lists by itself what refers to an image. For others there is a tag that is called after it.
  if (headers['oci-subject']) return;
  const descriptor = { ...descriptorOf(MEDIA_TYPE.manifest, manifest), artifactType };
  await session.persist(() => list(session, subject, descriptor));
}

async function list(session: RegistrySession, subject: Descriptor, descriptor: Descriptor): Promise<void> {
  const tag = subject.digest.replace(':', '-');
  const url = session.url(`manifests/${tag}`);
  const headers = { accept: MEDIA_TYPE.index };
  const { status, body } = await session.ask('GET', url, { expected: [200, 404], headers });
  const text = await body.text();
  const { manifests = [] } = (status === 200 ? JSON.parse(text) : {}) as Partial<OciIndex>;
  if (manifests.some(({ digest }) => digest === descriptor.digest)) return;
  const index = { schemaVersion: 2, mediaType: MEDIA_TYPE.index, manifests: [...manifests, descriptor] };
  await put(session, tag, blobOfJson(index), MEDIA_TYPE.index);
}

async function put(session: RegistrySession, reference: string, blob: Blob, type: string) {
  return await session.persist(async () => {
    const headers = { 'content-type': type, 'content-length': String(blob.size) };
    const question = { expected: [201], headers, body: () => blob.read() };
    const answer = await session.ask('PUT', session.url(`manifests/${reference}`), question);
    await answer.body.text();
    return answer.headers;
  });
}
