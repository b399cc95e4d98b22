import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { TestenvError } from '../error.ts';
import { type ImageArchive, writeArchive } from './image-archive.ts';
import { parseImageName } from './image-name.ts';
import { type Blob, blobOfBytes, blobOfFile, isDigest, sha256, sha256OfStream } from './internal/blob.ts';
import type { Layer } from './internal/layer.ts';
import {
  type Descriptor,
  MANIFEST_TYPES,
  machinePlatform,
  type OciConfig,
  type OciIndex,
  type OciManifest,
} from './internal/oci.ts';
import { RegistrySession } from './internal/registry-session.ts';
import { inWorkspace } from './internal/workspace.ts';
import { type PushOptions, registryUrl } from './push-image.ts';

const MANIFESTS = MANIFEST_TYPES.join(', ');

/**
 * Pulls an image for this machine's platform from a registry into an archive, every byte checked against its digest.
 * `registry` is a URL, `source` is `repository:tag` there.
 */
export async function pullImage(registry: string, source: string, options: PushOptions = {}): Promise<ImageArchive> {
  const base = registryUrl(registry);
  const { credentials, signal, reporter } = options;
  const { host, repository, tag } = parseImageName(
    `${base.host.includes(':') ? base.host : `${base.host}:443`}/${source}`,
  );
  const session = new RegistrySession({ registry: base, repository, actions: 'pull', credentials, signal });
  const task = `Pulling ${base.host}/${source}`;
  try {
    return await inWorkspace(`the image ${source}`, async (folder) => {
      const manifest = await manifestFor(session, tag);
      const config = await readBlob(session, manifest.config.digest);
      const { rootfs } = JSON.parse(config.toString('utf8')) as OciConfig;
      const layers: Layer[] = [];
      for (const [at, { mediaType, digest }] of manifest.layers.entries()) {
        reporter?.progress(task, at / manifest.layers.length);
        const blob = await session.persist(() => download(session, digest, join(folder, digest.replace(':', '-'))));
        layers.push({ mediaType, diffId: rootfs.diff_ids[at] ?? '', blob });
      }
      return await writeArchive(`${host}/${repository}:${tag}`, blobOfBytes(config), layers, { signal });
    });
  } finally {
    reporter?.progress(task, 1);
    await session.close();
  }
}

async function manifestFor(session: RegistrySession, reference: string): Promise<OciManifest> {
  const ask = () =>
    session.ask('GET', session.url(`manifests/${reference}`), { expected: [200], headers: { accept: MANIFESTS } });
  const text = await session.persist(async () => await (await ask()).body.text());
  if (isDigest(reference) && sha256(text) !== reference) throw damaged(reference);
  const found = parsed(text, reference) as Partial<OciIndex & OciManifest>;
  if (found.layers && found.config) return checked(found as OciManifest);
  const { os, architecture } = machinePlatform();
  const fit = found.manifests?.find(({ platform }) => platform?.os === os && platform.architecture === architecture);
  // An index of indexes would have no end.
  if (fit && !isDigest(reference)) return await manifestFor(session, digestIn(fit));
  throw new TestenvError(
    'KUR_TESTENV_REGISTRY',
    `The registry has no image for ${os}/${architecture} under this name.`,
    {
      remedy: 'Choose an image for this platform.',
    },
  );
}

/** Digests become names of files: before anything is fetched, they must be digests. */
function checked(manifest: OciManifest): OciManifest {
  for (const descriptor of [manifest.config, ...manifest.layers]) digestIn(descriptor);
  return manifest;
}

function digestIn({ digest }: Partial<Descriptor>): string {
  if (isDigest(digest)) return digest;
  throw new TestenvError('KUR_TESTENV_REGISTRY', `The registry calls ${JSON.stringify(digest)} a digest.`, {
    remedy: 'Use an image whose parts have sha256 digests, from a registry that you trust.',
  });
}

function parsed(text: string, reference: string): object {
  try {
    return (JSON.parse(text) as object | null) ?? {};
  } catch (cause) {
    throw damaged(reference, cause);
  }
}

async function readBlob(session: RegistrySession, digest: string): Promise<Buffer> {
  return await session.persist(async () => {
    const { body } = await session.ask('GET', session.url(`blobs/${digest}`), { expected: [200] });
    const bytes = Buffer.from(await body.text());
    if (sha256(bytes) !== digest) throw damaged(digest);
    return bytes;
  });
}

async function download(session: RegistrySession, digest: string, file: string): Promise<Blob> {
  const { body } = await session.ask('GET', session.url(`blobs/${digest}`), { expected: [200] });
  await pipeline(body, createWriteStream(file));
  const { size } = await stat(file);
  const blob = blobOfFile(file, digest, size);
  if ((await sha256OfStream(blob.read())) !== digest) throw damaged(digest);
  return blob;
}

function damaged(digest: string, cause?: unknown): TestenvError {
  return new TestenvError('KUR_TESTENV_REGISTRY', `What the registry gave as ${digest} is something else.`, {
    remedy: 'Try again; if it stays so, the registry is broken.',
    cause,
  });
}
