import {
  type Attachment,
  descriptorOf,
  machinePlatform,
  parseImageName,
  type RegistryCredentials,
} from '@kurator/registry';
import { TestenvError } from '../error.ts';
import { type Reporter, silent } from '../reporter.ts';
import type { ImageArchive } from './image-archive.ts';
import { notAnImage } from './internal/archive-file.ts';
import { imageForMachine, openArchive } from './internal/open-archive.ts';
import { registryPlace } from './internal/registry-place.ts';

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
  await using place = registryPlace(registry, target, credentials);
  const { repository, name } = place;
  if (name.tag === undefined || name.digest !== undefined) throw notATarget(target);
  const image = imageForMachine(await openArchive(archive.path));
  if (!image) throw notAnImage(archive.path, `it has no image for ${machinePlatform().architecture}`);
  const pushed = `${name.host}/${name.repository}:${name.tag}`;
  const task = `Pushing ${pushed}`;
  const blobs = [...image.layers, image.config].map(({ blob }) => blob);
  const total = blobs.reduce((sum, { size }) => sum + size, 0);
  let sent = 0;
  try {
    for (const blob of blobs) {
      const onSent = (bytes: number) => reporter.progress(task, (sent + bytes) / (total + 1));
      await repository.pushBlob(blob, { onSent, signal });
      sent += blob.size;
    }
    const { mediaType, blob } = image.manifest;
    await repository.pushManifest(name.tag, mediaType, blob, { signal });
    for (const each of attachments) await repository.attach(descriptorOf(mediaType, blob), each, { signal });
    return { name: pushed, digest: image.digest };
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
