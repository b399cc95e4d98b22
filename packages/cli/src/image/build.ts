/** `kurator image build` */
import {
  busyboxImage,
  type ImageArchive,
  type ImageConfig,
  imageFromBinary,
  imageFromFolder,
  imageFromNodeBundle,
  imageFromPackages,
} from '@kurator/testenv';
import type { Action, ActionContext } from '../action.ts';
import { runningCluster } from '../cluster/named-cluster.ts';
import { CliError } from '../error.ts';
import { refuseOther } from '../files/named-file.ts';

/** As commander gives them. */
export interface BuildOptions {
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
  output?: string;
  load?: string;
  json?: boolean;
}

export const build: Action<BuildOptions, []> = async (context, options) => {
  const { print, say } = context;
  const cluster = options.load === undefined ? undefined : await runningCluster({ name: options.load });
  const image = await archiveOf(options, context);
  print(options.json ? JSON.stringify(image, undefined, 2) : image.path);
  if (cluster) {
    await cluster.load(image.path);
    say(`${image.name} is in every node of "${cluster.name}".`);
  }
  return 0;
};

async function archiveOf(options: BuildOptions, { reporter, signal }: ActionContext): Promise<ImageArchive> {
  const { folder, binary, nodeBundle, packages, busybox, from, output } = options;
  if (output) await refuseOther('--output', output, 'an image archive');
  const config = imageConfig(options);
  const common = { reporter, signal, ...(output ? { output } : {}) };
  const based = { ...common, ...(from ? { from } : {}) };
  if (folder !== undefined) return await imageFromFolder(folder, config, based);
  if (binary !== undefined) return await imageFromBinary(binary, config, based);
  if (nodeBundle !== undefined) return await imageFromNodeBundle(nodeBundle, config, based);
  if (from !== undefined) throw usage('--from does not go with --packages or --busybox', 'leave --from out');
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
