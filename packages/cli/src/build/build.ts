/** `kurator build` */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Action, type ActionContext, CliError, megabytes } from '@kurator/command';
import { isForPrograms, type OutputOptions, serialised } from '@kurator/command/kube';
import { formatPlatform, machinePlatform, type Platform } from '@kurator/registry';
import {
  type ImageArchive,
  imageForPlatforms,
  imageFromNodeBundle,
  inspectArchive,
  nodeInBase,
  nodeRuntimeFiles,
} from '@kurator/testenv';
import { runningCluster } from '../cluster/named-cluster.ts';
import { refuseOther } from '../files/named-file.ts';
import { type Project, readProject } from '../project/project.ts';
import { pinned, pullFrom, pushTo } from '../push/push.ts';
import { type CompiledProgram, compileProject } from './compile.ts';
import { npmPackages, runtimeIngredients } from './ingredients.ts';
import { sbomOf } from './sbom.ts';

/** As commander gives them. */
export interface BuildOptions extends OutputOptions {
  tag?: string;
  base?: string;
  node?: string;
  archive?: string;
  platform?: Platform[];
  sbom?: string;
  load?: string | true;
  push?: boolean;
  insecure?: boolean;
  insecureBase?: boolean;
}

/** What was built. */
export interface BuiltImage extends ImageArchive {
  /** `linux/amd64` */
  readonly platforms: readonly string[];
  /** Bytes of all layers as they are pushed. */
  readonly size: number;
  /** Bytes of the operator itself, before compression. */
  readonly bundle: number;
  /** How many packages the bill of materials has. */
  readonly packages: number;
  /** The bill of materials itself, as it is in the image. */
  readonly sbom: string;
}

const SBOM = 'sbom.spdx.json';

export const build: Action<BuildOptions, [folder: string]> = async (context, options, folder) => {
  const project = await readProject(folder);
  const { load } = options;
  const cluster = load ? await runningCluster(load === true ? {} : { name: load }) : undefined;
  const image = await buildImage(project, options, context);
  const { sbom, ...told } = image;
  const { print, say, screen } = context;
  // What was pushed is the result, alone, for scripts to go on with.
  if (options.push && !options.output) say(summary(image));
  if (options.push) {
    const { insecure = false } = options;
    const pushed = await pushTo(image.path, image.name, { insecure, sbom }, context);
    say(`${pushed.name} is in the registry, with its bill of materials beside it.`);
  }
  if (isForPrograms(options)) print(await serialised(told, options, screen));
  else print(options.push || options.output === 'name' ? pinned(image) : summary(image));
  if (cluster) {
    await cluster.load(image.path);
    say(`${image.name} is in every node of "${cluster.name}".`);
  }
  return 0;
};

/** Builds a project's image: the same digest for the same sources, packages and Node. */
export async function buildImage(
  project: Project,
  options: Pick<BuildOptions, 'tag' | 'base' | 'node' | 'archive' | 'platform' | 'sbom' | 'insecureBase'>,
  { reporter, signal }: Pick<ActionContext, 'reporter' | 'signal'>,
): Promise<BuiltImage> {
  if (options.archive) await refuseOther('--archive', options.archive, 'an image archive');
  if (options.sbom) await refuseOther('--sbom', options.sbom, 'a bill of materials');
  const parts: Part[] = [];
  for (const platform of options.platform ?? [machinePlatform()]) {
    parts.push(await partFor(platform, options, { reporter, signal }));
  }
  const workshop = await mkdtemp(join(tmpdir(), 'kurator-build-'));
  const app = join(workshop, 'app');
  try {
    await mkdir(app);
    const task = `Bundling ${project.name}`;
    reporter.progress(task, undefined);
    const compiled = await compileProject(project, app);
    reporter.progress(task, 1);
    const sbom = await billOf(project, compiled, parts);
    const text = `${JSON.stringify(sbom, undefined, 2)}\n`;
    await writeFile(join(app, SBOM), text);
    const config = { name: options.tag ?? project.image, labels: labelsOf(project) };
    const make = async ({ platform, base, node }: Part, output: string | undefined) =>
      await imageFromNodeBundle(app, config, {
        entry: 'main.js',
        compress: true,
        platform,
        reporter,
        signal,
        ...(base ? { from: base } : {}),
        ...(node ? { node } : {}),
        ...(output ? { output } : {}),
      });
    const image = await assembled(config.name, parts, workshop, make, { output: options.archive, signal });
    if (options.sbom) await writeFile(options.sbom, text);
    const { images } = await inspectArchive(image.path);
    const { packages } = sbom as { packages: unknown[] };
    return {
      ...image,
      platforms: images.map(({ platform }) => platform),
      size: images.reduce((sum, { size }) => sum + size, 0),
      bundle: compiled.bytes,
      packages: packages.length,
      sbom: text,
    };
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}

/** The image for one platform, before there is one. */
interface Part {
  readonly platform: Platform;
  readonly base: ImageArchive | undefined;
  /** The node program that is put into it; undefined where the base has one. */
  readonly node: string | undefined;
}

async function partFor(
  platform: Platform,
  options: Pick<BuildOptions, 'base' | 'node' | 'insecureBase'>,
  ways: Pick<ActionContext, 'reporter' | 'signal'>,
): Promise<Part> {
  const { insecureBase: insecure = false } = options;
  const base = options.base ? await pullFrom(options.base, { insecure, platform }, ways) : undefined;
  if (base && !options.node && (await nodeInBase(base, platform))) return { platform, base, node: undefined };
  if (platform.architecture === machinePlatform().architecture) return { platform, base, node: nodeFor(options) };
  const title = formatPlatform(platform);
  throw new CliError('KUR_CLI_USAGE', `--platform ${title}: the Node of this machine does not run there`, {
    remedy: `give an image for ${title} that has Node in it: --base node:24-slim`,
  });
}

/** One image, or one for each platform under one name. */
async function assembled(
  name: string,
  parts: readonly Part[],
  workshop: string,
  make: (part: Part, output: string | undefined) => Promise<ImageArchive>,
  options: { readonly output: string | undefined; readonly signal: AbortSignal },
): Promise<ImageArchive> {
  const [first, ...others] = parts;
  if (first && others.length === 0) return await make(first, options.output);
  const images: ImageArchive[] = [];
  for (const part of parts) {
    images.push(await make(part, join(workshop, `${formatPlatform(part.platform).replaceAll('/', '-')}.tar`)));
  }
  return await imageForPlatforms(name, images, options);
}

/** What a base image is made of, it has to tell itself. */
async function billOf(project: Project, { inputs }: CompiledProgram, parts: readonly Part[]): Promise<object> {
  const product = { name: project.name, version: project.version };
  const below = parts.flatMap(({ base }) =>
    base ? [{ name: base.name, version: base.digest, purl: `pkg:oci/${base.name}@${base.digest}` }] : [],
  );
  const node = parts.find((part) => part.node)?.node;
  const runtime = node ? await runtimeIngredients(node, await nodeRuntimeFiles(node)) : [];
  return sbomOf(product, [...(await npmPackages(inputs, project.folder)), ...below, ...runtime]);
}

/** The node program to put into the image. */
function nodeFor({ node }: Pick<BuildOptions, 'node'>): string {
  if (node) return node;
  if (process.platform === 'linux') return process.execPath;
  throw new CliError(
    'KUR_CLI_NO_RUNTIME',
    `the Node of this machine is for ${process.platform}, and containers run Linux`,
    { remedy: 'give an image that has Node in it: --base node:24-slim' },
  );
}

function labelsOf({ name, version }: Project): Record<string, string> {
  return { 'org.opencontainers.image.title': name, 'org.opencontainers.image.version': version };
}

function summary({ name, digest, path, platforms, size, bundle, packages }: BuiltImage): string {
  return [
    name,
    ...(platforms.length > 1 ? [`  for      ${platforms.join(', ')}`] : []),
    `  digest   ${digest}`,
    `  size     ${megabytes(size)} compressed, of which the operator is ${megabytes(bundle)} before compression`,
    `  sbom     /app/${SBOM} in the image, ${packages} packages`,
    `  archive  ${path}`,
  ].join('\n');
}
