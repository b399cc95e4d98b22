import { blobOfJson, descriptorOf, MEDIA_TYPE, type OciIndex, type Platform } from '@kurator/registry';
import { archiveName } from './archive-name.ts';
import { type ImageArchive, type WriteArchiveOptions, writeLayout } from './image-archive.ts';
import { openArchive } from './internal/open-archive.ts';

/** Images for several platforms under one name, as one archive: each machine takes the one that fits it. */
export async function imageForPlatforms(
  name: string,
  archives: readonly Pick<ImageArchive, 'path'>[],
  options: WriteArchiveOptions = {},
): Promise<ImageArchive> {
  const opened = await Promise.all(archives.map(async ({ path }) => (await openArchive(path)).images));
  const images = opened.flat();
  const index: OciIndex = {
    schemaVersion: 2,
    mediaType: MEDIA_TYPE.index,
    manifests: images.map(({ manifest: { mediaType, blob }, config }) => {
      return { ...descriptorOf(mediaType, blob), platform: platformOf(config.value) };
    }),
  };
  const top = { mediaType: MEDIA_TYPE.index, blob: blobOfJson(index) };
  const below = images.flatMap(({ manifest, config, layers }) => [manifest, config, ...layers].map(({ blob }) => blob));
  return await writeLayout(archiveName(name), top, [top.blob, ...below], options);
}

function platformOf({ os, architecture, variant }: Platform): Platform {
  return { os, architecture, ...(variant === undefined ? {} : { variant }) };
}
