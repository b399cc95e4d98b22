/** `kurator bundle` */
import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import { type Action, CliError } from '@kurator/command';
import { unifiedDiff } from '../files/diff.ts';
import { recovered } from '../files/journal.ts';
import { writeFiles } from '../files/write-files.ts';
import { known, tellKept } from '../generate/generate.ts';
import { planGeneration } from '../generate/generation.ts';
import { bundleIn } from '../generate/olm-bundle.ts';
import { readBundle } from '../olm/bundle.ts';
import { findingsOf } from '../olm/rules/rules.ts';
import { readProject } from '../project/project.ts';
import { reported } from './validate.ts';

/** As commander gives them. */
export interface BundleOptions {
  image?: string;
  outputDir?: string;
  dryRun?: boolean;
  overwrite?: boolean;
}

export const bundle: Action<BundleOptions, [folder: string]> = async (context, options, folder) => {
  const project = await readProject(folder);
  const output = resolve(project.folder, options.outputDir ?? 'deploy/bundle');
  await refuseAbove(project.folder, output);
  if (!options.dryRun) await recovered(output, context);
  const generator = bundleIn('.');
  const everything = await known(project, [generator], options, context.signal);
  const { changes, kept } = await planGeneration(output, [generator], everything, options);
  tellKept(kept, context);
  if (options.dryRun) {
    context.print(changes.length > 0 ? changes.map(unifiedDiff).join('\n') : 'Nothing would change.');
    return 0;
  }
  await writeFiles(output, changes);
  context.print(`${output}: ${changes.length > 0 ? `${changes.length} files changed` : 'up to date'}.`);
  return reported(context, findingsOf(await readBundle(output)));
};

/** A bundle is a folder of its own: not the project's, nor one that the project is in. */
async function refuseAbove(project: string, output: string): Promise<void> {
  const way = relative(await realpath(output).catch(() => output), await realpath(project));
  if (way.startsWith('..') || isAbsolute(way)) return;
  throw new CliError('KUR_CLI_USAGE', `--output-dir ${output} is the project's own folder, or above it`, {
    remedy: 'name a folder for the bundle alone, such as deploy/bundle',
  });
}
