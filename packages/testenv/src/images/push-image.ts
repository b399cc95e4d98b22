import {
  type Attachment,
  descriptorOf,
  machinePlatform,
  type ProxySettings,
  parseImageName,
  type RegistryCredentials,
} from '@kurator/registry';
import { TestenvError } from '../error.ts';
import { type Reporter, silent } from '../reporter.ts';
import type { ImageArchive } from './image-archive.ts';
import { notAnImage } from './internal/archive-file.ts';
import { imageForMachine, openArchive } from './internal/open-archive.ts';
import { repositoryAt } from './internal/repository-at.ts';

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
  /** What stands between here and the registry. Default: nothing. */
  proxy?: ProxySettings | undefined;
  /** What is put beside it, for those who ask what belongs to the image. Default: nothing. */
  attachments?: readonly Attachment[];
  /** Hears how far it is. Default: nobody. */
  reporter?: Reporter;
  signal?: AbortSignal;
}

/**
 * Pushes an image to a registry; of an archive with images for several platforms all of them, as an index. `registry` is a URL (`http://10.96.0.3:5000`), `target` is `repository:tag` there; the
 * image's own unless told. Layers that the registry has already are not sent again, so that a push that was cut short
 * goes on where it was; the name comes last, and so never stands for half an image.
 */
export async function pushImage(
  archive: Pick<ImageArchive, 'name' | 'path'>,
  registry: string,
  target = ownTarget(archive),
  { credentials, proxy, signal, attachments = [], reporter = silent }: PushOptions = {},
): Promise<PushedImage> {
  await using place = repositoryAt(registry, target, { credentials, proxy });
  const { repository, name } = place;
  if (name.tag === undefined || name.digest !== undefined) throw notATarget(target);
  const opened = await openArchive(archive.path);
  const single = opened.index ? undefined : imageForMachine(opened);
  const top = opened.index ?? single?.manifest;
  if (!top) throw notAnImage(archive.path, `it has no image for ${machinePlatform().architecture}`);
  const images = single ? [single] : opened.images;
  const pushed = `${name.host}/${name.repository}:${name.tag}`;
  const task = `Pushing ${pushed}`;
  const parts = images.flatMap(({ layers, config }) => [...layers, config]);
  // Images of several platforms may share what is the same on all of them.
  const blobs = [...new Map(parts.map(({ blob }) => [blob.digest, blob])).values()];
  const total = blobs.reduce((sum, { size }) => sum + size, 0);
  let sent = 0;
  try {
    for (const blob of blobs) {
      const onSent = (bytes: number) => reporter.progress(task, (sent + bytes) / (total + 1));
      await repository.pushBlob(blob, { onSent, signal });
      sent += blob.size;
    }
    if (!single) {
      for (const { digest, manifest } of images) {
        await repository.pushManifest(digest, manifest.mediaType, manifest.blob, { signal });
      }
    }
    const { mediaType, blob } = top;
    await repository.pushManifest(name.tag, mediaType, blob, { signal });
    for (const each of attachments) await repository.attach(descriptorOf(mediaType, blob), each, { signal });
    return { name: pushed, digest: blob.digest };
  } finally {
    reporter.progress(task, 1);
  }
}

function ownTarget({ name }: Pick<ImageArchive, 'name'>): string {
  const { repository, tag } = parseImageName(name);
  return `${repository}:${tag}`;
}

function notATarget(target: string): TestenvError {
  return new TestenvError('KUR_TESTENV_IMAGE_NAME', `An image can't be pushed to "${target}": it has a digest.`, {
    remedy: 'Write `repository:tag`: the content decides the digest.',
  });
}
