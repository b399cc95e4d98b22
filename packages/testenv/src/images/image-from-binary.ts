import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { formatPlatform, machinePlatform, type Platform } from '@kurator/registry';
import { TestenvError } from '../error.ts';
import { type BuildOptions, buildImage, requireRoomFor } from './build.ts';
import type { ImageArchive } from './image-archive.ts';
import type { ImageConfig } from './image-config.ts';
import { readStretch } from './internal/blob.ts';
import { readElf } from './internal/elf.ts';
import { writeLayer } from './internal/layer.ts';

/** An image with one static program in it, at `/NAME`, which is the entrypoint unless told. */
export async function imageFromBinary(
  path: string,
  config: ImageConfig,
  options: BuildOptions = {},
): Promise<ImageArchive> {
  const name = basename(path);
  const size = await checkProgram(path, options.platform ?? machinePlatform());
  return await buildImage({ entrypoint: [`/${name}`], ...config }, options, async (context) => {
    await requireRoomFor(`The image ${config.name}`, size);
    const entry = { path: name, type: 'file', mode: 0o755, size, content: () => readStretch(path, 0, size) } as const;
    return [await writeLayer(context.place([entry]), join(context.folder, 'layer.tar'), options.signal)];
  });
}

/** Fails unless the file would start on its own in an empty image; its size otherwise. */
async function checkProgram(path: string, platform: Platform): Promise<number> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats?.isFile()) throw refused(path, stats ? 'is not a file' : 'is not there', 'Give the path of a program.');
  const elf = await readElf(path);
  if (!elf?.isProgram)
    throw refused(
      path,
      'is not a Linux program',
      'For scripts and folders use imageFromFolder(), for JavaScript imageFromNodeBundle().',
    );
  const { architecture } = platform;
  if (elf.architecture !== architecture) {
    throw refused(
      path,
      `is a program for ${elf.architecture}, not for ${architecture}`,
      `Build it for ${formatPlatform(platform)}.`,
    );
  }
  if ((stats.mode & 0o111) === 0) throw refused(path, 'is not executable', `Run \`chmod +x ${path}\`.`);
  if (elf.interpreter) {
    throw refused(
      path,
      `is linked dynamically: it needs ${elf.interpreter} and libraries, which an image of it alone does not have`,
      'Link it statically (Go: CGO_ENABLED=0), or add it with imageFromFolder() or `files` to an image from imageFromPackages().',
      'KUR_TESTENV_NOT_STATIC',
    );
  }
  return stats.size;
}

function refused(
  path: string,
  what: string,
  remedy: string,
  code: `KUR_TESTENV_${string}` = 'KUR_TESTENV_IMAGE_SOURCE',
) {
  return new TestenvError(code, `${path} ${what}.`, { remedy });
}
