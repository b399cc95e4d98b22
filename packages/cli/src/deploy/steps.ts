/** What a deployment would change in a cluster: every object is looked up, and applied as one that is only checked. */
import {
  type Client,
  ClientError,
  type KubernetesObject,
  Namespace,
  type ResourceType,
  untyped,
} from '@kurator/client';
import type { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import { CliError } from '@kurator/command';
import { type FieldChange, fieldChanges } from '@kurator/runtime';
import { compareCrds, type Finding } from '@kurator/schema';
import { findLive, kindOf } from '../kube/kinds.ts';
import type { OperatorDescription } from '../manifests/description.ts';
import { FIELD_MANAGER, type InventoryItem, isWrittenFor } from './inventory.ts';

/** One object of the deployment. */
export interface Step {
  readonly type: ResourceType;
  readonly object: KubernetesObject;
  readonly action: 'create' | 'change' | 'keep' | 'remove';
  /** What is there. */
  readonly live?: KubernetesObject | undefined;
  readonly changes: readonly FieldChange[];
  /** What a new definition would do to objects that are there. */
  readonly findings: readonly Finding[];
}

/** How a plan is made. */
export interface StepOptions {
  /** Whether fields that others own are taken over. */
  readonly forceConflicts: boolean;
  readonly signal: AbortSignal;
}

/** In the order of the manifests. Nothing is written. */
export async function stepsOf(
  client: Client,
  manifests: readonly KubernetesObject[],
  options: StepOptions,
): Promise<Step[]> {
  const steps: Step[] = [];
  for (const object of manifests) steps.push(await stepOf(client, object, options));
  return steps;
}

async function stepOf(client: Client, object: KubernetesObject, options: StepOptions): Promise<Step> {
  const { signal } = options;
  const type = await kindOf(client, object, { signal });
  const { name = '', namespace } = object.metadata;
  const live = await client.find<KubernetesObject>(type, { name, namespace }, { signal });
  if (!live && namespace && !(await client.find(Namespace, { name: namespace }, { signal }))) {
    // The server checks nothing in a namespace that is yet to be made.
    return { type, object, action: 'create', changes: fieldChanges(undefined, object), findings: [] };
  }
  const wouldBe = await apply(client, type, object, { ...options, dryRun: true });
  const changes = fieldChanges(live, wouldBe);
  const action = live ? (changes.length > 0 ? 'change' : 'keep') : 'create';
  const findings = live && isCrd(live) ? crdFindings(live, wouldBe) : [];
  return { type, object, action, changes, findings, live };
}

/** Takes away what an earlier deployment has made, if it is still there and still that. */
export async function removalsOf(
  client: Client,
  items: readonly InventoryItem[],
  description: OperatorDescription,
  signal: AbortSignal,
): Promise<Step[]> {
  const steps: Step[] = [];
  for (const { apiVersion, kind, name, namespace, uid } of items) {
    const type = untyped(apiVersion, kind, { namespaced: namespace !== undefined });
    const live = await findLive(client, type, { name, namespace }, signal);
    if (!live || (uid && live.metadata.uid !== uid) || !isWrittenFor(live, description)) continue;
    const object = { apiVersion, kind, metadata: { name, ...(namespace ? { namespace } : {}) } };
    steps.push({ type, object, action: 'remove', changes: [], findings: [], live });
  }
  return steps;
}

/** Writes one object, or only has it checked. */
export async function apply(
  client: Client,
  type: ResourceType,
  object: KubernetesObject,
  { forceConflicts, signal, dryRun = false }: StepOptions & { dryRun?: boolean },
): Promise<KubernetesObject> {
  try {
    return await client.apply(type, object, { fieldManager: FIELD_MANAGER, force: forceConflicts, signal, dryRun });
  } catch (error) {
    throw explained(error, object);
  }
}

function isCrd(object: KubernetesObject): object is CustomResourceDefinition {
  return object.kind === 'CustomResourceDefinition';
}

/** As the server would have it, with what others have written into it: who converts, and where. */
function crdFindings(live: CustomResourceDefinition, wouldBe: KubernetesObject): Finding[] {
  return compareCrds(live, wouldBe as CustomResourceDefinition);
}

function explained(error: unknown, { kind, metadata }: KubernetesObject): unknown {
  if (!(error instanceof ClientError)) return error;
  const what = `${kind} ${metadata.name}`;
  if (error.code === 'KUR_CLIENT_CONFLICT') {
    const fields = error.causes.map(({ field, message }) => `\n  ${field}: ${message}`).join('');
    return new CliError('KUR_CLI_CONFLICT', `${what} has fields that somebody else keeps:${fields}`, {
      remedy: 'add --force-conflicts to have them as the operator wants them',
      cause: error,
    });
  }
  if (error.code !== 'KUR_CLIENT_INVALID') return error;
  return new CliError('KUR_CLI_REFUSED', `the server refuses ${what}: ${error.message}`, {
    remedy: 'a field that can’t be changed needs the object to be deleted first: kurator undeploy',
    cause: error,
  });
}
