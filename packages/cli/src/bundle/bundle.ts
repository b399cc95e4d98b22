/** `kurator bundle` */
import { basename, dirname, resolve } from 'node:path';
import type { Action } from '../action.ts';
import { unifiedDiff } from '../files/diff.ts';
import { writeFiles } from '../files/write-files.ts';
import { bundleIn } from '../generate/bundle.ts';
import { known } from '../generate/generate.ts';
import { planOf } from '../generate/plan.ts';
import { readProject } from '../project/project.ts';
import { readBundle } from './validate/bundle.ts';
import { reported } from './validate/report.ts';
import { findingsOf } from './validate/rules.ts';

/** As commander gives them. */
export interface BundleOptions {
  image?: string;
  output?: string;
  dryRun?: boolean;
}

export const bundle: Action<BundleOptions, []> = async (context, options) => {
  const project = await readProject('.');
  const output = resolve(project.folder, options.output ?? 'deploy/bundle');
  const place = dirname(output);
  const generator = bundleIn(basename(output));
  const everything = await known(project, [generator], options, context.signal);
  const changes = await planOf(place, [generator], everything);
  if (options.dryRun) {
    context.print(changes.length > 0 ? changes.map(unifiedDiff).join('\n') : 'Nothing would change.');
    return 0;
  }
  await writeFiles(place, changes);
  context.print(`${output}: ${changes.length > 0 ? `${changes.length} files changed` : 'up to date'}.`);
  return reported(context, findingsOf(await readBundle(output)));
};
