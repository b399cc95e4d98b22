/** `kurator init` */
import { readdir } from 'node:fs/promises';
import { basename, relative, resolve } from 'node:path';
import { type Action, CliError, given, questions } from '@kurator/command';
import { recovered } from '../files/journal.ts';
import { writeError } from '../files/write-error.ts';
import { writeFiles } from '../files/write-files.ts';
import { problemOf } from '../project/names.ts';
import { npmInstall } from './npm-install.ts';
import { projectFiles } from './project-files.ts';
import { sdkSource } from './sdk-source.ts';

/** As commander gives them. */
export interface InitOptions {
  domain?: string;
  repo?: string;
  name?: string;
  install: boolean;
  sdk?: string;
}

export const init: Action<InitOptions, [folder: string]> = async (context, options, folder) => {
  const target = resolve(folder);
  const asked = questions();
  const problem = (what: 'domain' | 'name') => (answer: string) => problemOf(what, answer);
  const repo = repoOf(options.repo);
  await recovered(target, context);
  await refuseContent(target);
  const domain = await given(
    '--domain',
    options.domain ?? (asked ? undefined : repo?.domain),
    {
      message: 'What do the API groups of your CRDs end with?',
      initial: repo?.domain ?? 'example.com',
      problem: problem('domain'),
    },
    asked,
  );
  const guess = (repo?.name ?? basename(target)).toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const named = options.name ?? (problemOf('name', guess) ? undefined : guess);
  const name = await given(
    '--name',
    named,
    { message: 'What is the operator called?', problem: problem('name') },
    asked,
  );
  const source = await sdkSource(options.sdk);
  const files = await projectFiles({ name, domain, repo: repo?.path, source });
  await writeFiles(
    target,
    files.map(({ path, text }) => ({ path, before: undefined, after: text })),
  );
  if (options.install) await npmInstall(target, context.reporter, context.signal);
  if (!options.domain) context.say(`The API groups of its CRDs end with ${domain}: package.json has it.`);
  context.print(`The operator project "${name}" is in ${target}.\n\n${nextSteps(target, options)}`);
  return 0;
};

/** What a repository's place says: `github.com/example/web-operator` is example.com's, and called web-operator. */
function repoOf(given: string | undefined): { path: string; name: string; domain: string | undefined } | undefined {
  if (given === undefined) return undefined;
  const path = given.replace(/^https?:\/\//, '').replace(/(\.git)?\/*$/, '');
  const problem = problemOf('repo', path);
  if (problem) throw new CliError('KUR_CLI_USAGE', `--repo "${given}" can't be used`, { remedy: problem });
  const domain = `${path.split('/')[1]?.toLowerCase()}.com`;
  return { path, name: basename(path), domain: problemOf('domain', domain) ? undefined : domain };
}

/** Anything but nothing, or an empty git repository, is somebody's. */
async function refuseContent(target: string): Promise<void> {
  const found = await readdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw writeError(target, error);
  });
  const others = found.filter((name) => name !== '.git');
  if (others.length === 0) return;
  const some = others.slice(0, 3).join(', ') + (others.length > 3 ? ', …' : '');
  throw new CliError('KUR_CLI_NOT_EMPTY', `${target} is not empty: it has ${some}`, {
    remedy: 'name another folder; what exists is never touched',
  });
}

function nextSteps(target: string, { install }: InitOptions): string {
  const place = relative(process.cwd(), target);
  const steps = [
    ...(place ? [`cd ${place.startsWith('..') ? target : place}`] : []),
    ...(install ? [] : ['npm install']),
    'npm test',
    'npx kurator create api --group apps --version v1alpha1 --kind MyApp',
    'npm run dev -- --local',
  ];
  return steps.map((step) => `  ${step}`).join('\n');
}
