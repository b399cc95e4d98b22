import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TestenvError } from '../error.ts';
import { type BuildOptions, buildImage, pathInImage, requireRoomFor } from './build.ts';
import type { ImageArchive } from './image-archive.ts';
import type { ImageConfig } from './image-config.ts';
import { folderEntries } from './internal/folder-entries.ts';
import { writeLayer } from './internal/layer.ts';

/** How a folder becomes an image. */
export interface FolderOptions extends BuildOptions {
  /** Where in the image the folder's content goes. Default: `/`. */
  at?: string;
  /** Who owns everything in the image. Default: root. */
  owner?: { uid: number; gid: number };
}

/**
 * An image whose one layer is a folder: modes, links, empty folders and devices are kept; owners, times and extended
 * attributes are not, so that the same folder gives the same digest on every machine.
 */
export async function imageFromFolder(
  folder: string,
  config: ImageConfig,
  options: FolderOptions = {},
): Promise<ImageArchive> {
  const at = pathInImage(options.at ?? '/', 'at');
  const owner = options.owner ?? { uid: 0, gid: 0 };
  await requireFolder(folder);
  return await buildImage(config, options, async (context) => {
    const entries = await folderEntries(folder, { at, ...owner, reporter: context.reporter });
    await requireRoomFor(
      `The image ${config.name}`,
      entries.reduce((sum, entry) => sum + (entry.size ?? 0), 0),
    );
    return [await writeLayer(context.place(entries), join(context.folder, 'layer.tar'), options.signal)];
  });
}

async function requireFolder(folder: string): Promise<void> {
  const stats = await stat(folder).catch(() => undefined);
  if (stats?.isDirectory()) return;
  throw new TestenvError(
    'KUR_TESTENV_IMAGE_SOURCE',
    `${folder} is ${stats ? 'not a folder' : 'not there'}, so no image can be made of it.`,
    {
      remedy: 'Give the path of a folder whose content is to be the image.',
    },
  );
}
