/**
 * The one way by which nodes get images from elsewhere: a registry (read only, OCI distribution) at the host's end of the
 * cluster's cable. containerd asks it for everything that no other registry is named for, with `ns=HOST` for the registry
 * that the image's name begins with; it fetches that as this machine's user would, checks it, and keeps it.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { parseImageName, RegistryError } from '@kurator/registry';
import { TestenvError } from '../error.ts';
import type { BlobStore, StoredBlob } from './blob-store.ts';
import { openUpstream, type Place, type Upstream, upstreamClient } from './upstream.ts';

/** Where it listens, whom it serves, and where it keeps what it fetched. */
export interface MirrorOptions {
  /** An address of this machine that nodes can reach. */
  readonly address: string;
  /** The addresses of the nodes: nobody else is served. */
  readonly nodes: readonly string[];
  readonly store: BlobStore;
  /** How repositories are read. */
  readonly open?: typeof openUpstream;
}

export interface Mirror {
  readonly url: string;
  /** What nodes have to show, beside their address: pods on a node's own network have that, too. */
  readonly token: string;
  close(): Promise<void>;
}

/** The header that carries the token. */
export const TOKEN_HEADER = 'x-kurator-token';

/** What the distribution's specification asks registries to take at least; no image has more. */
const LARGEST_MANIFEST = 4 * 1024 * 1024;
const LARGEST_BLOB = 64 * 1024 ** 3;
/** A status line is no place for a novel. */
const LONGEST_REASON = 400;

export async function startMirror({ address, nodes, store, open = openUpstream }: MirrorOptions): Promise<Mirror> {
  const token = randomBytes(24).toString('hex');
  const ending = new AbortController();
  const client = upstreamClient();
  const larder = createLarder(store, (place) => open(client, place, ending.signal));
  const server = createServer((request, response) => {
    const isNode = nodes.includes(request.socket.remoteAddress ?? '') && isSame(request.headers[TOKEN_HEADER], token);
    const answering = isNode ? answer(larder, request, response) : Promise.reject(stranger());
    answering.catch((error: unknown) => refuse(error, request, response));
  });
  // A blob is sent only when all of it is here and checked: the first byte may take as long as the registry does.
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, address, resolve));
  return {
    url: `http://${address}:${(server.address() as AddressInfo).port}`,
    token,
    async close() {
      ending.abort();
      server.closeAllConnections();
      await client.close();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

interface Wanted extends Place {
  readonly kind: 'manifests' | 'blobs';
  /** A tag or a digest. */
  readonly reference: string;
}

type Larder = (wanted: Wanted) => Promise<StoredBlob>;

/** Fetches what is not there yet; whoever wants the same at the same time waits for the same. */
function createLarder(store: BlobStore, open: (place: Place) => Upstream): Larder {
  const underway = new Map<string, Promise<StoredBlob>>();

  async function fetchWith(upstream: Upstream, { kind, reference }: Wanted): Promise<StoredBlob> {
    const isTag = !reference.startsWith('sha256:');
    // Asked first: a registry that counts pulls counts only what is fetched.
    const digest = isTag ? await upstream.digestOf(reference) : reference;
    const known = await store.find(digest);
    if (known) return known;
    if (kind === 'manifests') {
      return await store.keep(await upstream.manifest(digest), { digest, size: 0, most: LARGEST_MANIFEST });
    }
    const { body, size } = await upstream.blob(reference);
    return await store.keep(body, { digest, size, most: LARGEST_BLOB });
  }

  return async (wanted) => {
    const known = wanted.reference.startsWith('sha256:') ? await store.find(wanted.reference) : undefined;
    if (known) return known;
    const key = JSON.stringify(wanted);
    const fetching = underway.get(key) ?? fetchWith(open(wanted), wanted).finally(() => underway.delete(key));
    underway.set(key, fetching);
    return await fetching;
  };
}

async function answer(larder: Larder, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const wanted = wantedBy(request);
  if (wanted === 'root') return void response.writeHead(200).end();
  const { digest, path, size } = await larder(wanted);
  const [start, end] = range(request.headers.range, size);
  const isPart = end - start < size;
  response.writeHead(isPart ? 206 : 200, {
    'content-type':
      wanted.kind === 'manifests' ? manifestType(await readFile(path, 'utf8')) : 'application/octet-stream',
    'content-length': end - start,
    'docker-content-digest': digest,
    'accept-ranges': 'bytes',
    ...(isPart ? { 'content-range': `bytes ${start}-${end - 1}/${size}` } : {}),
  });
  if (request.method === 'HEAD' || end === start) return void response.end();
  // Who hangs up in the middle gets the rest when he asks again.
  await pipeline(createReadStream(path, { start, end: end - 1 }), response).catch(() => response.destroy());
}

/** Reads the request's address; what is asked of a registry beyond pulling is refused. */
function wantedBy({ method, url = '/', headers }: IncomingMessage): Wanted | 'root' {
  const { pathname, searchParams } = new URL(url, 'http://mirror');
  if (method !== 'GET' && method !== 'HEAD') throw unwanted(`${method} ${pathname}`);
  if (pathname === '/v2/') return 'root';
  const [, repository = '', kind, reference = ''] = /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(pathname) ?? [];
  const host = searchParams.get('ns') ?? '';
  const isDigest = /^sha256:[0-9a-f]{64}$/.test(reference);
  if (!kind || (kind === 'blobs' && !isDigest)) throw unwanted(`${method} ${pathname}`);
  const name = parseImageName(`${host}/${repository}:${isDigest ? 'digest' : reference}`);
  if (name.host !== host) throw unwanted(`${pathname}?ns=${host}`);
  const credentials = basicCredentials(headers.authorization);
  return { host, repository, kind: kind as Wanted['kind'], reference, ...(credentials ? { credentials } : {}) };
}

/** A pod's imagePullSecret, which containerd shows when it was told that the image is not for everybody. */
function basicCredentials(header = ''): Place['credentials'] {
  const decoded = Buffer.from(/^basic (\S+)$/i.exec(header)?.[1] ?? '', 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  return colon > 0 ? { username: decoded.slice(0, colon), password: decoded.slice(colon + 1) } : undefined;
}

/** From and up to: all of it unless one part is asked for that makes sense. */
function range(header: string | undefined, size: number): [start: number, end: number] {
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(header ?? '') ?? [];
  const [start, end] = [Number(from ?? 0), to ? Math.min(Number(to) + 1, size) : size];
  return start < end ? [start, end] : [0, size];
}

const statuses: Readonly<Record<string, number>> = {
  KUR_REGISTRY_NOT_FOUND: 404,
  KUR_REGISTRY_DENIED: 403,
  KUR_REGISTRY_RATE_LIMITED: 429,
  KUR_REGISTRY_NAME: 400,
  KUR_TESTENV_NO_SPACE: 507,
  KUR_TESTENV_MIRROR: 403,
};

/** What somebody who reads it at a pod would not know. */
const hints: Readonly<Record<string, string>> = {
  KUR_REGISTRY_DENIED:
    ' Log in on the machine this cluster runs on (docker login), or give the pod an imagePullSecret.',
  KUR_REGISTRY_UNREACHABLE: ' It was asked from the machine this cluster runs on.',
  KUR_REGISTRY_TIMEOUT: ' It was asked from the machine this cluster runs on.',
  KUR_REGISTRY_TLS: ' It was asked from the machine this cluster runs on.',
};

/**
 * The reason is also in the status line: containerd asks by HEAD first, which has no body, and the status line is what the
 * pod's ErrImagePull quotes.
 */
function refuse(error: unknown, { headers }: IncomingMessage, response: ServerResponse): void {
  if (response.headersSent) return void response.destroy();
  const isOurs = error instanceof TestenvError || error instanceof RegistryError;
  const code = isOurs ? error.code : '';
  const message = `${(error as Error).message}${hints[code] ?? ''}`;
  const status = isOurs ? (statuses[code] ?? 502) : 500;
  // Without the question nobody would show the pod's own secret.
  const asks = code === 'KUR_REGISTRY_DENIED' && !headers.authorization;
  const reason = message.replace(/[^\x20-\x7e]+/g, ' ').slice(0, LONGEST_REASON);
  response
    .writeHead(asks ? 401 : status, reason, {
      'content-type': 'application/json',
      ...(asks ? { 'www-authenticate': 'Basic realm="the registry behind this mirror"' } : {}),
    })
    .end(JSON.stringify({ errors: [{ code: asks ? 'UNAUTHORIZED' : 'UNKNOWN', message }] }));
}

function isSame(shown: string | string[] | undefined, token: string): boolean {
  const [a, b] = [Buffer.from(String(shown)), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function stranger(): TestenvError {
  return new TestenvError('KUR_TESTENV_MIRROR', "this serves images to the cluster's own nodes, and to nobody else");
}

function unwanted(what: string): TestenvError {
  return new TestenvError('KUR_TESTENV_MIRROR', `images are pulled here, and nothing else: ${what}`);
}

/** What kind of manifest a text is: containerd believes the header, and a blob on disk has none. The text's own word for it; OCI's manifests may leave that out, and then have the shape of one or the other. */
function manifestType(text: string): string {
  const { mediaType, manifests } = parsed(text);
  if (typeof mediaType === 'string' && /^[\w.+/-]{1,255}$/.test(mediaType)) return mediaType;
  return manifests ? `application/vnd.oci.image.index.v1+json` : `application/vnd.oci.image.manifest.v1+json`;
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
