import { join } from 'node:path';
import { machinePlatform } from '@kurator/registry';
import { TestenvError } from '../error.ts';
import { type BuildOptions, buildImage } from './build.ts';
import type { ImageArchive } from './image-archive.ts';
import { writeLayer } from './internal/layer.ts';
import { hasPauseProgram, pauseProgram } from './internal/pause-program.ts';
import { fileEntry } from './internal/tar-writer.ts';

/** The name to give containerd as `sandbox_image`. */
export const PAUSE_IMAGE = 'kurator.local/pause:1';

/** The image of the process that holds a pod's namespaces. It has one program of some two hundred bytes, and nothing else. */
export async function pauseImage(options: Omit<BuildOptions, 'from' | 'files'> = {}): Promise<ImageArchive> {
  const { architecture } = machinePlatform();
  if (!hasPauseProgram(architecture)) {
    throw new TestenvError(
      'KUR_TESTENV_PLATFORM',
      `There is no pause program for ${architecture} here, only for amd64 and arm64.`,
      {
        remedy: "Set containerd's sandbox_image to a pause image that your nodes have.",
      },
    );
  }
  const config = { name: PAUSE_IMAGE, entrypoint: ['/pause'], user: '65535:65535' };
  return await buildImage(config, options, async ({ folder }) => {
    return [
      await writeLayer(
        [fileEntry('pause', pauseProgram(architecture), 0o755)],
        join(folder, 'layer.tar'),
        options.signal,
      ),
    ];
  });
}
