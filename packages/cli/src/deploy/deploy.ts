/** `kurator deploy` */
import { type Client, hasCode, Namespace, parseDuration } from '@kurator/client';
import { type Action, type ActionContext, CliError } from '@kurator/command';
import { inCluster } from '@kurator/command/kube';
import { untilEstablished, untilRolledOut } from '../kube/rollout.ts';
import type { OperatorDescription } from '../manifests/description.ts';
import { namespaceOf } from '../manifests/description.ts';
import { operatorManifests } from '../manifests/operator-manifests.ts';
import { type DescribeOptions, describeProject } from './describe-project.ts';
import { earlierDeployment } from './earlier-deployment.ts';
import { withContent } from './image-content.ts';
import {
  createNamespace,
  type Inventory,
  type InventoryItem,
  isWrittenFor,
  itemOf,
  madeNamespace,
  merged,
  readInventory,
  unwanted,
  writeInventory,
} from './inventory.ts';
import { harmsIn, planText, titleOf } from './plan-text.ts';
import { apply, removalsOf, type Step, type StepOptions, stepsOf } from './steps.ts';

/** As commander gives them. */
export interface DeployOptions extends DescribeOptions {
  context?: string;
  kubeconfig?: string;
  dryRun?: boolean;
  allowBreakingCrds?: boolean;
  forceConflicts?: boolean;
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
  const { forceConflicts = false } = options;
  const { description, before, steps, removals } = await planDeployment(client, given, { forceConflicts, signal });
  if (options.dryRun) context.print(planText([...steps, ...removals]));
  checkPlan(steps, description, options, context);
  if (options.dryRun) return 0;
  const items = await carryOut(client, description, { steps, before, forceConflicts }, context);
  const { name } = description;
  const namespace = namespaceOf(description);
  if (options.wait) {
    const timeoutMs = parseDuration(options.timeout);
    await untilRolledOut(client, { name, namespace }, { timeoutMs, reporter, signal });
  }
  // Pods of before may need their rights until they are gone.
  await takeAway(client, removals, context);
  await writeInventory(client, description, inventoryOf(items), signal);
  const changed = steps.filter(({ action }) => action !== 'keep').length;
  const removed = removals.length > 0 ? `, and ${removals.length} removed that it had before` : '';
  context.print(
    `${name} is ${options.wait ? 'running' : 'applied'} in the namespace ${namespace}: ${changed} of ${steps.length} objects were written${removed}.`,
  );
  return 0;
}

/** All that a deployment would do. */
interface DeploymentPlan {
  /** As given, but for what is somebody else's. */
  readonly description: OperatorDescription;
  /** What an earlier one has made. */
  readonly before: Inventory;
  readonly steps: readonly Step[];
  readonly removals: readonly Step[];
}

/** Writes nothing. */
export async function planDeployment(
  client: Client,
  given: OperatorDescription,
  options: StepOptions,
): Promise<DeploymentPlan> {
  const { signal } = options;
  const before = await madeBefore(client, given, signal);
  const description = await withoutOthersNamespace(client, given, before, signal);
  const manifests = operatorManifests(description);
  const steps = await stepsOf(client, manifests, options);
  const removals = await removalsOf(client, unwanted(before, manifests), description, signal);
  return { description, before, steps, removals };
}

/** What the inventory says; without one, what is there of a deployment that lives here. */
async function madeBefore(client: Client, description: OperatorDescription, signal: AbortSignal): Promise<Inventory> {
  const recorded = await readInventory(client, description, signal);
  if (recorded) return recorded;
  const items = await earlierDeployment(client, description, signal);
  return { items: items.some(({ kind }) => kind === 'Deployment') ? items : [] };
}

/** A namespace that was there before is somebody's: it gets neither labels nor rules of ours. */
async function withoutOthersNamespace(
  client: Client,
  description: OperatorDescription,
  before: Inventory,
  signal: AbortSignal,
): Promise<OperatorDescription> {
  const found = await client.find(Namespace, { name: namespaceOf(description) }, { signal });
  const isOurs = !found || (await madeNamespace(client, description, before, signal));
  return isOurs ? description : { ...description, createNamespace: false };
}

/** What somebody else made would be ours once we write into it, and `kurator undeploy` would delete it. */
function refuseOthers(steps: readonly Step[], description: OperatorDescription): void {
  // Definitions are shared, and a namespace is among the steps only if it is ours.
  const decided = new Set(['CustomResourceDefinition', 'Namespace']);
  const others = steps.filter(({ live, type }) => live && !decided.has(type.kind) && !isWrittenFor(live, description));
  if (others.length === 0) return;
  const names = others.map(titleOf).join(', ');
  throw new CliError('KUR_CLI_CONFLICT', `not made by \`kurator deploy\` for ${description.name}: ${names}`, {
    remedy:
      'delete what nobody needs; or --force-conflicts makes it the operator’s own, which `kurator undeploy` deletes',
  });
}

/** What is to be done, and what was there before. */
interface Work {
  readonly steps: readonly Step[];
  readonly before: Inventory;
  readonly forceConflicts: boolean;
}

/**
 * Kinds first, and served, before anything that may need them. Whenever it is cut short, the inventory names all that was made, and all
 * that was there: it says beforehand what will be written. Only the namespace must be there for that, and says itself whose it is.
 *
 * @returns What is there now of what is wanted.
 */
async function carryOut(
  client: Client,
  description: OperatorDescription,
  { steps, before, forceConflicts }: Work,
  { reporter, signal }: ActionContext,
): Promise<InventoryItem[]> {
  const items = new Map(steps.map((step) => [step, itemOf(step.object, step.live?.metadata.uid)]));
  const write = async (some: readonly Step[]) => {
    for (const step of some) {
      const { object, type, action } = step;
      reporter.progress('Applying', steps.indexOf(step) / steps.length, titleOf(step));
      if (action === 'keep') continue;
      if (isHome(step) && action === 'create') await createNamespace(client, description, signal);
      const applied = await apply(client, type, object, { forceConflicts, signal });
      items.set(step, itemOf(object, applied.metadata.uid));
    }
  };
  const note = async () => {
    const now = inventoryOf([...items.values()]);
    await writeInventory(client, description, { ...now, items: merged(before.items, now.items) }, signal);
  };
  await write(steps.filter(isHome));
  await note();
  await write(steps.filter((step) => !isHome(step)));
  reporter.progress('Applying', 1);
  await note();
  const crds = steps.filter(({ type }) => type.kind === 'CustomResourceDefinition').map(({ object }) => object);
  await untilEstablished(client, crds, signal);
  return [...items.values()];
}

function isHome({ type }: Step): boolean {
  return type.kind === 'Namespace';
}

function inventoryOf(items: readonly InventoryItem[]): Inventory {
  return { items, namespaceUid: items.find(({ kind }) => kind === 'Namespace')?.uid };
}

async function takeAway(client: Client, removals: readonly Step[], { say, signal }: ActionContext): Promise<void> {
  for (const step of removals) {
    const { type, object, live } = step;
    const uid = live?.metadata.uid;
    const options = { signal, ...(uid ? { preconditions: { uid } } : {}) };
    await client.delete(type, object.metadata, options).catch((error) => {
      // Another of that name is not ours.
      if (!hasCode(error, 'KUR_CLIENT_NOT_FOUND') && !hasCode(error, 'KUR_CLIENT_CONFLICT')) throw error;
    });
    say(`${titleOf(step)} is not needed any more, and was removed.`);
  }
}

/** Refuses what would harm what is stored, or what is somebody else's, unless that is accepted. */
export function checkPlan(
  steps: readonly Step[],
  description: OperatorDescription,
  { allowBreakingCrds = false, forceConflicts = false }: Pick<DeployOptions, 'allowBreakingCrds' | 'forceConflicts'>,
  context: ActionContext,
): void {
  checkHarm(steps, allowBreakingCrds, context);
  if (!forceConflicts) refuseOthers(steps, description);
}

function checkHarm(steps: readonly Step[], isAllowed: boolean, { say }: ActionContext): void {
  const harms = harmsIn(steps);
  const [first] = harms;
  if (!first) return;
  const list = harms.map(({ text }) => `  ${text}`).join('\n');
  if (isAllowed) {
    say(`Going on in spite of this, because of --allow-breaking-crds:\n${list}`);
    return;
  }
  throw new CliError('KUR_CLI_CRD_HARM', `the new definitions would do harm, so nothing was written:\n${list}`, {
    remedy: `${first.remedy}; or accept it with --allow-breaking-crds`,
  });
}
