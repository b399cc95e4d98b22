import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { TestenvError } from '../error.ts';
import { type ImageArchive, writeArchive } from './image-archive.ts';
import { parseImageName } from './image-name.ts';
import { type Blob, blobOfBytes, blobOfFile, sha256, sha256OfStream } from './internal/blob.ts';
import type { Layer } from './internal/layer.ts';
import { MANIFEST_TYPES, machinePlatform, type OciConfig, type OciIndex, type OciManifest } from './internal/oci.ts';
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
  if (reference.startsWith('sha256:') && sha256(text) !== reference) throw damaged(reference);
  const found = JSON.parse(text) as Partial<OciIndex & OciManifest>;
  if (found.layers && found.config) return found as OciManifest;
  const { os, architecture } = machinePlatform();
  const fit = found.manifests?.find(({ platform }) => platform?.os === os && platform.architecture === architecture);
  if (fit) return await manifestFor(session, fit.digest);
  throw new TestenvError(
    'KUR_TESTENV_REGISTRY',
    `The registry has no image for ${os}/${architecture} under this name.`,
    {
      remedy: 'Choose an image for this platform.',
    },
  );
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

function damaged(digest: string): TestenvError {
  return new TestenvError('KUR_TESTENV_REGISTRY', `What the registry gave as ${digest} is something else.`, {
    remedy: 'Try again; if it stays so, the registry is broken.',
  });
}
