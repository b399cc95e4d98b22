/** `kurator deploy` */
import type { Client } from '@kurator/client';
import { parseDuration } from '@kurator/client';
import type { Action, ActionContext } from '../action.ts';
import { CliError } from '../error.ts';
import { inCluster } from '../healer/cluster.ts';
import type { OperatorDescription } from '../manifests/description.ts';
import { namespaceOf } from '../manifests/description.ts';
import { operatorManifests } from '../manifests/operator-manifests.ts';
import { type DescribeOptions, describeProject } from './describe-project.ts';
import { withContent } from './image-content.ts';
import { apply, planOf, type Step } from './plan.ts';
import { harmsIn, planText, titleOf } from './plan-text.ts';
import { untilEstablished, untilRolledOut } from './rollout.ts';

/** As commander gives them. */
export interface DeployOptions extends DescribeOptions {
  context?: string;
  kubeconfig?: string;
  dryRun?: boolean;
  force?: boolean;
  takeOver?: boolean;
  wait: boolean;
  timeout: string;
}

export const deploy: Action<DeployOptions, [folder: string]> = async (context, options, folder) => {
  const description = await describeProject(folder, options, context.signal);
  return await inCluster(options, async ({ client }) => {
    const known = await withContent(client, description, context.signal);
    return await deployOperator(client, known, context, options);
  });
};

/** Applies all that it takes to run an operator, and waits for it. */
export async function deployOperator(
  client: Client,
  description: OperatorDescription,
  context: ActionContext,
  options: DeployOptions,
): Promise<number> {
  const { reporter, signal } = context;
  const takeOver = options.takeOver ?? false;
  const steps = await planOf(client, operatorManifests(description), { takeOver, signal });
  if (options.dryRun) context.print(planText(steps));
  checkHarm(steps, options.force ?? false, context);
  if (options.dryRun) return 0;
  await carryOut(client, steps, takeOver, context);
  const { name } = description;
  const namespace = namespaceOf(description);
  if (options.wait) {
    const timeoutMs = parseDuration(options.timeout);
    await untilRolledOut(client, { name, namespace }, { timeoutMs, reporter, signal });
  }
  const changed = steps.filter(({ action }) => action !== 'keep').length;
  context.print(
    `${name} is ${options.wait ? 'running' : 'applied'} in the namespace ${namespace}: ${changed} of ${steps.length} objects were written.`,
  );
  return 0;
}

/** Kinds first, and served, before anything that may need them. */
async function carryOut(
  client: Client,
  steps: readonly Step[],
  takeOver: boolean,
  { reporter, signal }: ActionContext,
): Promise<void> {
  const task = 'Applying';
  for (const [at, step] of steps.entries()) {
    reporter.progress(task, at / steps.length, titleOf(step));
    if (step.action !== 'keep') await apply(client, step.type, step.object, { takeOver, signal });
  }
  reporter.progress(task, 1);
  const crds = steps.filter(({ type }) => type.kind === 'CustomResourceDefinition').map(({ object }) => object);
  await untilEstablished(client, crds, signal);
}

function checkHarm(steps: readonly Step[], force: boolean, { say }: ActionContext): void {
  const harms = harmsIn(steps);
  const [first] = harms;
  if (!first) return;
  const list = harms.map(({ text }) => `  ${text}`).join('\n');
  if (force) {
    say(`Going on in spite of this, because of --force:\n${list}`);
    return;
  }
  throw new CliError('KUR_CLI_CRD_HARM', `the new definitions would do harm, so nothing was written:\n${list}`, {
    remedy: `${first.remedy}; or accept it with --force`,
  });
}
