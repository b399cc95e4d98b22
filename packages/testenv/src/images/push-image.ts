import { Readable } from 'node:stream';
import { TestenvError } from '../error.ts';
import { type Reporter, silent } from '../reporter.ts';
import type { ImageArchive } from './image-archive.ts';
import { parseImageName } from './image-name.ts';
import { notAnImage } from './internal/archive-file.ts';
import type { Blob } from './internal/blob.ts';
import { descriptorOf } from './internal/manifest.ts';
import { machinePlatform } from './internal/oci.ts';
import { imageForMachine, openArchive } from './internal/open-archive.ts';
import { type Attachment, attach } from './internal/referrer.ts';
import { type RegistryCredentials, RegistrySession } from './internal/registry-session.ts';

/** An image that a registry has. */
export interface PushedImage {
  /** What a pod writes to have the image pulled: `10.96.0.3:5000/demo/web:v1`. */
  name: string;
  /** The digest under which the registry has it. */
  digest: string;
}

/** Who pushes, and what may cut it short. */
export interface PushOptions {
  /** Nobody in particular unless given. */
  credentials?: RegistryCredentials | undefined;
  /** What is put beside it, for those who ask what belongs to the image. Default: nothing. */
  attachments?: readonly Attachment[];
  /** Hears how far it is. Default: nobody. */
  reporter?: Reporter;
  signal?: AbortSignal;
}

/**
 * Pushes an image to a registry. `registry` is a URL (`http://10.96.0.3:5000`), `target` is `repository:tag` there; the
 * image's own unless told. Layers that the registry has already are not sent again, so that a push that was cut short
 * goes on where it was; the name comes last, and so never stands for half an image.
 */
export async function pushImage(
  archive: Pick<ImageArchive, 'name' | 'path'>,
  registry: string,
  target = ownTarget(archive),
  { credentials, signal, attachments = [], reporter = silent }: PushOptions = {},
): Promise<PushedImage> {
  const base = registryUrl(registry);
  const { repository, tag } = parseImageName(`${base.host.includes(':') ? base.host : `${base.host}:80`}/${target}`);
  const image = imageForMachine(await openArchive(archive.path));
  if (!image) throw notAnImage(archive.path, `it has no image for ${machinePlatform().architecture}`);
  const session = new RegistrySession({ registry: base, repository, actions: 'pull,push', credentials, signal });
  const task = `Pushing ${base.host}/${repository}:${tag}`;
  const blobs = [...image.layers, image.config].map(({ blob }) => blob);
  const total = blobs.reduce((sum, { size }) => sum + size, 0);
  let sent = 0;
  try {
    for (const blob of blobs) {
      await session.persist(() =>
        pushBlob(session, blob, (bytes) => reporter.progress(task, (sent + bytes) / (total + 1))),
      );
      sent += blob.size;
    }
    const { mediaType, blob } = image.manifest;
    await session.persist(() => put(session, session.url(`manifests/${tag}`), blob, mediaType));
    const sending = { session, sendBlob: (each: Blob) => pushBlob(session, each, () => {}) };
    for (const each of attachments) await attach(sending, descriptorOf(mediaType, blob), each);
    return { name: `${base.host}/${repository}:${tag}`, digest: image.digest };
  } finally {
    reporter.progress(task, 1);
    await session.close();
  }
}

async function pushBlob(session: RegistrySession, blob: Blob, onSent: (bytes: number) => void): Promise<void> {
  const known = await session.ask('HEAD', session.url(`blobs/${blob.digest}`), { expected: [200, 404] });
  if (known.status === 200) return;
  const { headers } = await session.ask('POST', session.url('blobs/uploads/'), {
    expected: [202],
    headers: { 'content-length': '0' },
  });
  const location = session.resolve(String(headers.location ?? ''));
  location.searchParams.set('digest', blob.digest);
  await put(session, location, blob, 'application/octet-stream', onSent);
}

async function put(
  session: RegistrySession,
  url: URL,
  blob: Blob,
  type: string,
  onSent?: (bytes: number) => void,
): Promise<void> {
  const body = () => (onSent ? Readable.from(counted(blob.read(), onSent)) : blob.read());
  const headers = { 'content-type': type, 'content-length': String(blob.size) };
  const { body: rest } = await session.ask('PUT', url, { expected: [201], headers, body });
  await rest.text();
}

async function* counted(
  content: AsyncIterable<Uint8Array>,
  onSent: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.byteLength;
    onSent(bytes);
    yield chunk;
  }
}

/** The address of a registry, checked. */
export function registryUrl(registry: string): URL {
  const url = URL.parse(registry);
  if (url && /^https?:$/.test(url.protocol) && url.pathname === '/') return url;
  throw new TestenvError('KUR_TESTENV_REGISTRY', `"${registry}" is not the URL of a registry.`, {
    remedy: 'Write http://host:port.',
  });
}

function ownTarget({ name }: Pick<ImageArchive, 'name'>): string {
  const { repository, tag } = parseImageName(name);
  return `${repository}:${tag}`;
}
