/** `kurator create webhook` */
import type { Action } from '../action.ts';
import { CliError } from '../error.ts';
import { readIfThere } from '../files/change.ts';
import { recovered } from '../files/recovered.ts';
import { renderTemplates } from '../files/template.ts';
import { folderOf } from '../project/names.ts';
import { type Project, readProject } from '../project/project.ts';
import { type Questions, questions } from '../terminal/questions.ts';
import { kindOf, mustHave } from './kind-question.ts';
import { carryOut, type Plan, type PlanOptions } from './plan.ts';
import { withHook } from './wiring.ts';

/** As commander gives them. */
export interface WebhookOptions extends PlanOptions {
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

export const createWebhook: Action<WebhookOptions, []> = async (context, options) => {
  const project = await readProject('.');
  if (!options.dryRun) await recovered(project.folder, context);
  const asked = questions();
  const kind = await kindOf(options.kind, asked);
  const wanted = await hooksOf(options, asked);
  await carryOut(context, project.folder, await planWebhooks(project, kind, wanted), options, asked);
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
export async function planWebhooks(project: Project, kind: string, wanted: readonly Hook[]): Promise<Plan> {
  const path = mustHave(project, kind, 'controller.ts');
  const source = (await readIfThere(project.folder, path)) ?? '';
  const files = await renderTemplates('webhook', { kind, folder: folderOf(kind) });
  // The mutating one is asked first, by the API server too.
  const order = hooks.toReversed().filter((hook) => wanted.includes(hook));
  const text = order.reduceRight((wired, hook) => withHook(wired, path, kind, hook), source);
  return { files, edits: [{ path, text }] };
}
