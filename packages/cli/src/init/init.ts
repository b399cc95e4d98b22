/** `kurator init` */
import { readdir, rm } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { type Action, announceCleanup } from '../action.ts';
import { CliError } from '../error.ts';
import { makeFolder } from '../files/make-folder.ts';
import { writeError } from '../files/write-error.ts';
import { writeFiles } from '../files/write-files.ts';
import { problemOf } from '../project/names.ts';
import { given, questions } from '../terminal/questions.ts';
import { npmInstall } from './npm-install.ts';
import { projectFiles } from './project-files.ts';
import { sdkSource } from './sdk-source.ts';

/** As commander gives them. */
export interface InitOptions {
  domain?: string;
  name?: string;
  install: boolean;
  sdk?: string;
}

export const init: Action<InitOptions, [folder: string]> = async (context, options, folder) => {
  const target = resolve(folder);
  const asked = questions();
  const problem = (what: 'domain' | 'name') => (answer: string) => problemOf(what, answer);
  const found = await contentOf(target);
  const domain = await given(
    '--domain',
    options.domain,
    { message: 'What do the API groups of your kinds end with?', initial: 'example.com', problem: problem('domain') },
    asked,
  );
  const guess = basename(target)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
  const named = options.name ?? (problemOf('name', guess) ? undefined : guess);
  const name = await given(
    '--name',
    named,
    { message: 'What is the operator called?', problem: problem('name') },
    asked,
  );
  const source = await sdkSource(options.sdk);
  announceCleanup(context);
  await make(target, found === undefined, async () => {
    const files = await projectFiles({ name, domain, source });
    await writeFiles(
      target,
      files.map(({ path, text }) => ({ path, before: undefined, after: text })),
    );
    if (options.install) await npmInstall(target, context.reporter, context.signal);
  });
  context.print(`The operator project "${name}" is in ${target}.\n\n${nextSteps(target, options)}`);
  return 0;
};

/** What is in the folder; undefined where there is none. Anything but an empty git repository is refused. */
async function contentOf(target: string): Promise<string[] | undefined> {
  const found = await readdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw writeError(target, error);
  });
  const others = found?.filter((name) => name !== '.git') ?? [];
  if (others.length === 0) return found;
  const some = others.slice(0, 3).join(', ') + (others.length > 3 ? ', …' : '');
  throw new CliError('KUR_CLI_NOT_EMPTY', `${target} is not empty: it has ${some}`, {
    remedy: 'name another folder; what exists is never touched',
  });
}

/** Does the work; if it fails, the folder is as it was. */
async function make(target: string, isNew: boolean, work: () => Promise<void>): Promise<void> {
  const first = isNew ? await makeFolder(target) : undefined;
  try {
    await work();
  } catch (error) {
    if (first) await rm(first, { recursive: true, force: true });
    else await empty(target);
    throw error;
  }
}

async function empty(folder: string): Promise<void> {
  const made = (await readdir(folder)).filter((name) => name !== '.git');
  await Promise.all(made.map((name) => rm(join(folder, name), { recursive: true, force: true })));
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
