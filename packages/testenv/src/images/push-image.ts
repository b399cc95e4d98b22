import { Agent, request } from 'undici';
import { TestenvError } from '../error.ts';
import type { ImageArchive } from './image-archive.ts';
import { parseImageName } from './image-name.ts';
import { notAnImage } from './internal/archive-file.ts';
import type { Blob } from './internal/blob.ts';
import { machinePlatform } from './internal/oci.ts';
import { imageForMachine, openArchive } from './internal/open-archive.ts';

/** An image that a registry has. */
export interface PushedImage {
  /** What a pod writes to have the image pulled: `10.96.0.3:5000/demo/web:v1`. */
  name: string;
  /** The digest under which the registry has it. */
  digest: string;
}

/** What may cut a push short. */
export interface PushOptions {
  signal?: AbortSignal;
}

/**
 * Pushes an image to a registry without passwords. `registry` is a URL (`http://10.96.0.3:5000`), `target` is
 * `repository:tag` there; the image's own unless told. Layers that the registry has already are not sent again.
 */
export async function pushImage(
  archive: ImageArchive,
  registry: string,
  target = ownTarget(archive),
  options: PushOptions = {},
): Promise<PushedImage> {
  const base = registryUrl(registry);
  const { repository, tag } = parseImageName(`${base.host.includes(':') ? base.host : `${base.host}:80`}/${target}`);
  const image = imageForMachine(await openArchive(archive.path));
  if (!image) throw notAnImage(archive.path, `it has no image for ${machinePlatform().architecture}`);
  const dispatcher = new Agent({ connect: { timeout: 10_000 } });
  const session: Session = { base, repository, dispatcher, signal: options.signal };
  try {
    for (const { blob } of [...image.layers, image.config]) await pushBlob(session, blob);
    await pushManifest(session, tag, image.manifest);
    return { name: `${base.host}/${repository}:${tag}`, digest: image.digest };
  } finally {
    await dispatcher.close();
  }
}

interface Session {
  base: URL;
  repository: string;
  dispatcher: Agent;
  signal: AbortSignal | undefined;
}

async function pushBlob(session: Session, blob: Blob): Promise<void> {
  const { base, repository } = session;
  const known = await call(session, 'HEAD', new URL(`/v2/${repository}/blobs/${blob.digest}`, base), [200, 404]);
  if (known.status === 200) return;
  const upload = await call(session, 'POST', new URL(`/v2/${repository}/blobs/uploads/`, base), [202]);
  const location = new URL(upload.location ?? '', base);
  location.searchParams.set('digest', blob.digest);
  await call(session, 'PUT', location, [201], { blob, type: 'application/octet-stream' });
}

async function pushManifest(
  session: Session,
  tag: string,
  { mediaType, blob }: { mediaType: string; blob: Blob },
): Promise<void> {
  const url = new URL(`/v2/${session.repository}/manifests/${tag}`, session.base);
  await call(session, 'PUT', url, [201], { blob, type: mediaType });
}

interface Answer {
  status: number;
  location: string | undefined;
}

async function call(
  { dispatcher, signal, base }: Session,
  method: 'HEAD' | 'POST' | 'PUT',
  url: URL,
  expected: readonly number[],
  content?: { blob: Blob; type: string },
): Promise<Answer> {
  const headers = content
    ? { 'content-type': content.type, 'content-length': String(content.blob.size) }
    : { 'content-length': '0' };
  const body = content ? content.blob.read() : null;
  let response: Awaited<ReturnType<typeof request>>;
  try {
    response = await request(url, { method, dispatcher, headers, body, ...(signal ? { signal } : {}) });
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    throw unreachable(base, cause);
  }
  const text = await response.body.text();
  if (!expected.includes(response.statusCode)) throw refused(`${method} ${url.pathname}`, response.statusCode, text);
  const location = response.headers.location;
  return { status: response.statusCode, location: Array.isArray(location) ? location[0] : location };
}

function unreachable({ origin }: URL, cause: unknown): TestenvError {
  const { message, name } = cause as Error;
  return new TestenvError('KUR_TESTENV_REGISTRY', `The registry ${origin} can't be reached: ${message || name}.`, {
    remedy: 'Check that it runs, and that its address can be reached from here.',
    cause,
  });
}

function refused(what: string, status: number, text: string): TestenvError {
  return new TestenvError(
    'KUR_TESTENV_REGISTRY',
    `The registry answered ${status} to ${what}${text ? `: ${text.trim().slice(0, 300)}` : ''}.`,
    {
      remedy: 'Check that the address is that of a registry, and its log.',
    },
  );
}

function registryUrl(registry: string): URL {
  const url = URL.parse(registry);
  if (url && /^https?:$/.test(url.protocol) && url.pathname === '/') return url;
  throw new TestenvError('KUR_TESTENV_REGISTRY', `"${registry}" is not the URL of a registry.`, {
    remedy: 'Write http://host:port.',
  });
}

function ownTarget({ name }: ImageArchive): string {
  const { repository, tag } = parseImageName(name);
  return `${repository}:${tag}`;
}
