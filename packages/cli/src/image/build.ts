/** `kurator image build` */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Action, type ActionContext, CliError } from '@kurator/command';
import { isForPrograms, type OutputOptions, serialised } from '@kurator/command/kube';
import { formatPlatform, machinePlatform, type Platform } from '@kurator/registry';
import {
  busyboxImage,
  type ImageArchive,
  type ImageConfig,
  imageForPlatforms,
  imageFromBinary,
  imageFromFolder,
  imageFromNodeBundle,
  imageFromPackages,
} from '@kurator/testenv';
import { runningCluster } from '../cluster/named-cluster.ts';
import { refuseOther } from '../files/named-file.ts';
import { pinned } from '../push/push.ts';

/** As commander gives them. */
export interface BuildOptions extends OutputOptions {
  tag: string;
  folder?: string;
  binary?: string;
  nodeBundle?: string;
  packages?: string;
  busybox?: boolean;
  from?: string;
  entrypoint?: string[];
  env?: string[];
  user?: string;
  workdir?: string;
  archive?: string;
  platform?: Platform[];
  load?: string;
}

export const build: Action<BuildOptions, []> = async (context, options) => {
  const { print, say, screen } = context;
  const cluster = options.load === undefined ? undefined : await runningCluster({ name: options.load });
  const image = await archiveOf(options, context);
  if (isForPrograms(options)) print(await serialised(image, options, screen));
  else print(options.output === 'name' ? pinned(image) : image.path);
  if (cluster) {
    await cluster.load(image.path);
    say(`${image.name} is in every node of "${cluster.name}".`);
  }
  return 0;
};

async function archiveOf(options: BuildOptions, context: ActionContext): Promise<ImageArchive> {
  const { archive, platform: wanted = [machinePlatform()] } = options;
  const { signal } = context;
  if (archive) await refuseOther('--archive', archive, 'an image archive');
  const [only, ...others] = wanted;
  if (only && others.length === 0) return await imageFor(only, options, archive, context);
  const { binary } = options;
  if (binary !== undefined && !binary.includes(ARCH)) {
    throw usage(
      `--binary ${binary} is one program, and --platform names several machines`,
      `build one for each, and name them by their architecture: --binary 'dist/web-${ARCH}'`,
    );
  }
  const workshop = await mkdtemp(join(tmpdir(), 'kurator-image-'));
  try {
    const images: ImageArchive[] = [];
    for (const platform of wanted) {
      const path = join(workshop, `${formatPlatform(platform).replaceAll('/', '-')}.tar`);
      images.push(await imageFor(platform, options, path, context));
    }
    return await imageForPlatforms(options.tag, images, { output: archive, signal });
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}

/** Stands for the architecture in paths. */
const ARCH = '{arch}';

async function imageFor(
  platform: Platform,
  options: BuildOptions,
  output: string | undefined,
  { reporter, signal }: ActionContext,
): Promise<ImageArchive> {
  const path = (text: string | undefined) => text?.replaceAll(ARCH, platform.architecture);
  const { folder, binary, nodeBundle, packages, busybox, from } = options;
  const config = imageConfig(options);
  const common = { reporter, signal, ...(output ? { output } : {}) };
  const base = path(from);
  const based = { ...common, platform, ...(base ? { from: base } : {}) };
  if (folder !== undefined) return await imageFromFolder(path(folder) ?? '', config, based);
  if (binary !== undefined) return await imageFromBinary(path(binary) ?? '', config, based);
  if (nodeBundle !== undefined) return await imageFromNodeBundle(path(nodeBundle) ?? '', config, based);
  if (from !== undefined) throw usage('--from does not go with --packages or --busybox', 'leave --from out');
  if (platform.architecture !== machinePlatform().architecture) {
    throw usage(
      `--platform ${formatPlatform(platform)} does not go with --packages or --busybox: they are made of this machine's programs`,
      'leave --platform out, or build there',
    );
  }
  if (packages !== undefined) return await imageFromPackages(packages.split(',').filter(Boolean), config, common);
  if (busybox) return await busyboxImage({ ...common, name: config.name });
  throw usage(
    'it is not said what the image is made of',
    'give one of --folder, --binary, --node-bundle, --packages, --busybox',
  );
}

/** Pure. */
export function imageConfig({ tag, entrypoint, env = [], user, workdir }: BuildOptions): ImageConfig {
  return {
    name: tag,
    ...(entrypoint ? { entrypoint } : {}),
    ...(env.length > 0 ? { env: Object.fromEntries(env.map(variable)) } : {}),
    ...(user ? { user } : {}),
    ...(workdir ? { workdir } : {}),
  };
}

function variable(text: string): [string, string] {
  const equals = text.indexOf('=');
  if (equals > 0) return [text.slice(0, equals), text.slice(equals + 1)];
  throw usage(`--env "${text}" is no variable`, 'write NAME=VALUE');
}

function usage(message: string, remedy: string): CliError {
  return new CliError('KUR_CLI_USAGE', message, { remedy });
}
