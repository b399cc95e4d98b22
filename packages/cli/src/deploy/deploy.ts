/** `kurator deploy` */
import { type Client, hasCode, Namespace, parseDuration } from '@kurator/client';
import type { Action, ActionContext } from '../action.ts';
import { CliError } from '../error.ts';
import { inCluster } from '../healer/cluster.ts';
import type { OperatorDescription } from '../manifests/description.ts';
import { namespaceOf } from '../manifests/description.ts';
import { operatorManifests } from '../manifests/operator-manifests.ts';
import { type DescribeOptions, describeProject } from './describe-project.ts';
import { withContent } from './image-content.ts';
import {
  hasMadeNamespace,
  type Inventory,
  type InventoryItem,
  itemOf,
  merged,
  readInventory,
  unwanted,
  writeInventory,
} from './inventory.ts';
import { apply, planOf, removalsOf, type Step } from './plan.ts';
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
    const known = await withContent(client, description, context);
    return await deployOperator(client, known, context, options);
  });
};

/** Applies all that it takes to run an operator, and waits for it. */
export async function deployOperator(
  client: Client,
  given: OperatorDescription,
  context: ActionContext,
  options: DeployOptions,
): Promise<number> {
  const { reporter, signal } = context;
  const takeOver = options.takeOver ?? false;
  const before = await readInventory(client, given, signal);
  const description = await withoutOthersNamespace(client, given, before, signal);
  const manifests = operatorManifests(description);
  const steps = await planOf(client, manifests, { takeOver, signal });
  const removals = await removalsOf(client, unwanted(before, manifests), signal);
  if (options.dryRun) context.print(planText([...steps, ...removals]));
  checkHarm(steps, options.force ?? false, context);
  if (options.dryRun) return 0;
  const items = await carryOut(client, steps, takeOver, context);
  const made = { items, namespaceUid: items.find(({ kind }) => kind === 'Namespace')?.uid };
  // Until what is not wanted any more is gone, it must not be forgotten.
  await writeInventory(client, description, { ...made, items: merged(before.items, items) }, signal);
  const { name } = description;
  const namespace = namespaceOf(description);
  if (options.wait) {
    const timeoutMs = parseDuration(options.timeout);
    await untilRolledOut(client, { name, namespace }, { timeoutMs, reporter, signal });
  }
  // Pods of before may need their rights until they are gone.
  await takeAway(client, removals, context);
  await writeInventory(client, description, made, signal);
  const changed = steps.filter(({ action }) => action !== 'keep').length;
  const removed = removals.length > 0 ? `, and ${removals.length} removed that it had before` : '';
  context.print(
    `${name} is ${options.wait ? 'running' : 'applied'} in the namespace ${namespace}: ${changed} of ${steps.length} objects were written${removed}.`,
  );
  return 0;
}

/** A namespace that was there before is somebody's: it gets neither labels nor rules of ours. */
async function withoutOthersNamespace(
  client: Client,
  description: OperatorDescription,
  before: Inventory,
  signal: AbortSignal,
): Promise<OperatorDescription> {
  const found = await client.find(Namespace, { name: namespaceOf(description) }, { signal });
  const isOurs = !found || (await hasMadeNamespace(client, description, before, signal));
  return isOurs ? description : { ...description, createNamespace: false };
}

/** Kinds first, and served, before anything that may need them. @returns What is there now. */
async function carryOut(
  client: Client,
  steps: readonly Step[],
  takeOver: boolean,
  { reporter, signal }: ActionContext,
): Promise<InventoryItem[]> {
  const task = 'Applying';
  const items: InventoryItem[] = [];
  for (const [at, step] of steps.entries()) {
    const { object, type, action } = step;
    reporter.progress(task, at / steps.length, titleOf(step));
    const applied = action === 'keep' ? undefined : await apply(client, type, object, { takeOver, signal });
    items.push(itemOf(object, applied?.metadata.uid ?? step.uid ?? ''));
  }
  reporter.progress(task, 1);
  const crds = steps.filter(({ type }) => type.kind === 'CustomResourceDefinition').map(({ object }) => object);
  await untilEstablished(client, crds, signal);
  return items;
}

async function takeAway(client: Client, removals: readonly Step[], { say, signal }: ActionContext): Promise<void> {
  for (const step of removals) {
    const { type, object, uid } = step;
    const options = { signal, ...(uid ? { preconditions: { uid } } : {}) };
    await client.delete(type, object.metadata, options).catch((error) => {
      // Another of that name is not ours.
      if (!hasCode(error, 'KUR_CLIENT_NOT_FOUND') && !hasCode(error, 'KUR_CLIENT_CONFLICT')) throw error;
    });
    say(`${titleOf(step)} is not needed any more, and was removed.`);
  }
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
