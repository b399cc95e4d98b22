/** `kurator create webhook` */
import { type Action, CliError, type Questions, questions } from '@kurator/command';
import { readIfThere } from '../files/change.ts';
import { recovered } from '../files/journal.ts';
import { renderTemplates } from '../files/template.ts';
import { folderOf } from '../project/names.ts';
import { type Project, readProject } from '../project/project.ts';
import { kindAsked, mustHave } from './kind-question.ts';
import { type Scaffold, type ScaffoldOptions, writeScaffold } from './scaffold.ts';
import { withHook } from './wiring.ts';

/** As commander gives them. */
export interface WebhookOptions extends ScaffoldOptions {
  kind?: string;
  validate?: boolean;
  mutate?: boolean;
}

const hooks = ['validate', 'mutate'] as const;
type Hook = (typeof hooks)[number];

const doing: Readonly<Record<Hook, string>> = {
  validate: 'Shall objects be checked (--validate)?',
  mutate: 'Shall objects be completed (--mutate)?',
};

export const createWebhook: Action<WebhookOptions, [folder: string]> = async (context, options, folder) => {
  const project = await readProject(folder);
  if (!options.dryRun) await recovered(project.folder, context);
  const asked = questions();
  const kind = await kindAsked(options.kind, asked);
  const wanted = await hooksOf(options, asked);
  await writeScaffold(context, project.folder, await webhooksScaffold(project, kind, wanted), options, asked);
  return 0;
};

async function hooksOf(options: WebhookOptions, asked: Questions | undefined): Promise<Hook[]> {
  const flagged = hooks.filter((hook) => options[hook]);
  if (flagged.length > 0) return flagged;
  const wanted: Hook[] = [];
  for (const hook of hooks) if (await asked?.confirm(doing[hook])) wanted.push(hook);
  if (wanted.length > 0) return wanted;
  throw new CliError('KUR_CLI_USAGE', 'which webhooks are wanted was not said', {
    remedy: 'give --validate, --mutate or both',
  });
}

/** The files and the wiring; reads the project, and writes nothing. Both functions are there, those wanted are wired. */
export async function webhooksScaffold(project: Project, kind: string, wanted: readonly Hook[]): Promise<Scaffold> {
  const path = mustHave(project, kind, 'controller.ts');
  const source = (await readIfThere(project.folder, path)) ?? '';
  const files = await renderTemplates('webhook', { kind, folder: folderOf(kind) });
  // The mutating one is asked first, by the API server too.
  const order = hooks.toReversed().filter((hook) => wanted.includes(hook));
  const text = order.reduceRight((wired, hook) => withHook(wired, path, kind, hook), source);
  return { files, edits: [{ path, text }] };
}
