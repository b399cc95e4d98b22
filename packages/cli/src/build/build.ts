/** `kurator build` */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ImageArchive, imageFromNodeBundle, inspectArchive, nodeInBase, nodeRuntimeFiles } from '@kurator/testenv';
import type { Action, ActionContext } from '../action.ts';
import { runningCluster } from '../cluster/named-cluster.ts';
import { CliError } from '../error.ts';
import { refuseOther } from '../files/named-file.ts';
import { type Project, readProject } from '../project/project.ts';
import { pullFrom, pushTo } from '../push/push.ts';
import { megabytes } from '../terminal/amounts.ts';
import { type Bundle, bundleProject } from './bundle.ts';
import { npmPackages, runtimeIngredients } from './ingredients.ts';
import { sbomOf } from './sbom.ts';

/** As commander gives them. */
export interface BuildOptions {
  tag?: string;
  base?: string;
  node?: string;
  output?: string;
  sbom?: string;
  load?: string | true;
  push?: boolean;
  insecure?: boolean;
  insecureBase?: boolean;
  json?: boolean;
}

/** What was built. */
export interface BuiltImage extends ImageArchive {
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
  context.print(options.json ? JSON.stringify(told, undefined, 2) : summary(image));
  if (options.push) {
    const { insecure = false } = options;
    const pushed = await pushTo(image.path, image.name, { insecure, sbom }, context);
    context.say(`${pushed.name} is in the registry, with its bill of materials beside it.`);
  }
  if (cluster) {
    await cluster.load(image.path);
    context.say(`${image.name} is in every node of "${cluster.name}".`);
  }
  return 0;
};

/** Builds a project's image: the same digest for the same sources, packages and Node. */
export async function buildImage(
  project: Project,
  options: Pick<BuildOptions, 'tag' | 'base' | 'node' | 'output' | 'sbom' | 'insecureBase'>,
  { reporter, signal }: Pick<ActionContext, 'reporter' | 'signal'>,
): Promise<BuiltImage> {
  if (options.output) await refuseOther('--output', options.output, 'an image archive');
  if (options.sbom) await refuseOther('--sbom', options.sbom, 'a bill of materials');
  const base = options.base
    ? await pullFrom(options.base, { insecure: options.insecureBase ?? false }, { reporter, signal })
    : undefined;
  const node = base && !options.node && (await nodeInBase(base)) ? undefined : nodeFor(options);
  const workshop = await mkdtemp(join(tmpdir(), 'kurator-build-'));
  try {
    const task = `Bundling ${project.name}`;
    reporter.progress(task, undefined);
    const bundle = await bundleProject(project, workshop);
    reporter.progress(task, 1);
    const sbom = await billOf(project, bundle, base, node);
    const text = `${JSON.stringify(sbom, undefined, 2)}\n`;
    await writeFile(join(workshop, SBOM), text);
    const image = await imageFromNodeBundle(
      workshop,
      { name: options.tag ?? project.image, labels: labelsOf(project) },
      {
        entry: 'main.js',
        compress: true,
        reporter,
        signal,
        ...(base ? { from: base } : {}),
        ...(node ? { node } : {}),
        ...(options.output ? { output: options.output } : {}),
      },
    );
    if (options.sbom) await writeFile(options.sbom, text);
    const [inspected] = (await inspectArchive(image.path)).images;
    const { packages } = sbom as { packages: unknown[] };
    return { ...image, size: inspected?.size ?? 0, bundle: bundle.bytes, packages: packages.length, sbom: text };
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}

/** What a base image is made of, it has to tell itself. */
async function billOf(
  project: Project,
  { inputs }: Bundle,
  base: ImageArchive | undefined,
  node: string | undefined,
): Promise<object> {
  const product = { name: project.name, version: project.version };
  const below = base ? [{ name: base.name, version: base.digest, purl: `pkg:oci/${base.name}@${base.digest}` }] : [];
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

function summary({ name, digest, path, size, bundle, packages }: BuiltImage): string {
  return [
    name,
    `  digest   ${digest}`,
    `  size     ${megabytes(size)} compressed, of which the operator is ${megabytes(bundle)} before compression`,
    `  sbom     /app/${SBOM} in the image, ${packages} packages`,
    `  archive  ${path}`,
  ].join('\n');
}
