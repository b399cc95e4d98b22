/** Sees to it that a cluster knows the kinds of an operator. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, ClientError, hasCode, waitFor } from '@kurator/client';
import { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import type { Resource } from '@kurator/schema';
import { type Clock, pause } from '../clock.ts';
import { RuntimeError } from '../error.ts';
import { sameJson } from '../writing/json.ts';
import type { InstallPolicy } from './operator-options.ts';

/** Options of {@link installCrds}. */
export interface InstallOptions {
  /** Which definitions are written; `compatible` unless given. With `never`, it only waits until they are there. */
  policy?: InstallPolicy;
  /** In whose name; `kurator` unless given. */
  fieldManager?: string;
  signal?: AbortSignal | undefined;
  /** Told what was done, and what is waited for. */
  onProgress?: (message: string) => void;
}

/**
 * Installs the definitions of kinds that were made by `resource`, by server-side apply, and waits until the server serves
 * them. One that would harm stored objects is refused, and nothing is changed.
 */
export async function installCrds(
  client: Client,
  resources: readonly Resource[],
  options: InstallOptions = {},
): Promise<void> {
  await Promise.all(resources.map((resource) => install(client, resource, options)));
}

async function install(client: Client, resource: Resource, options: InstallOptions): Promise<void> {
  const { policy = 'compatible', signal } = options;
  if (policy !== 'never') {
    const wanted = await definitionOf(resource);
    const { name } = wanted.metadata;
    const installed = await client.find(CustomResourceDefinition, { name }, { signal });
    if (!installed) await write(client, wanted, 'installed', options);
    else if (policy === 'compatible') await update(client, installed, wanted, options);
    else await compare(client, installed, wanted, options);
    await established(client, name, signal);
  }
  await served(client, resource, options);
}

async function update(
  client: Client,
  installed: CustomResourceDefinition,
  wanted: CustomResourceDefinition,
  options: InstallOptions,
): Promise<void> {
  const { name } = wanted.metadata;
  const { compareCrds } = await import('@kurator/schema');
  // Who converts, and where, is not in what is written: it stays as it is.
  const { conversion } = installed.spec;
  const next = { ...wanted, spec: { ...wanted.spec, ...(conversion ? { conversion } : {}) } };
  const findings = compareCrds(installed, next);
  const harm = findings.filter(({ severity }) => severity === 'breaking');
  if (harm.length > 0) {
    const reasons = harm.map(({ path, reason }) => `${path}: ${reason}`).join('; ');
    throw new RuntimeError('KUR_RUNTIME_INCOMPATIBLE', `the installed definition ${name} stays as it is: ${reasons}`, {
      remedy: harm[0]?.remedy ?? '',
    });
  }
  for (const { path, reason } of findings) options.onProgress?.(`${name}: ${path}: ${reason}`);
  await write(client, wanted, 'up to date', options);
}

async function write(
  client: Client,
  wanted: CustomResourceDefinition,
  outcome: string,
  { fieldManager = 'kurator', signal, onProgress }: InstallOptions,
): Promise<void> {
  await client.apply(CustomResourceDefinition, wanted, { fieldManager, force: true, signal });
  onProgress?.(`the definition ${wanted.metadata.name} is ${outcome}`);
}

/** Says so where the installed one is another than the program's: an author who has just changed it would wonder. */
async function compare(
  client: Client,
  installed: CustomResourceDefinition,
  wanted: CustomResourceDefinition,
  { fieldManager = 'kurator', signal, onProgress }: InstallOptions,
): Promise<void> {
  try {
    const options = { fieldManager, force: true, dryRun: true, signal };
    const { spec } = await client.apply(CustomResourceDefinition, wanted, options);
    if (sameJson(spec, installed.spec)) return;
    onProgress?.(
      `the installed definition ${wanted.metadata.name} is another than the program's: installCrds 'compatible' updates it`,
    );
  } catch (error) {
    // Whoever may not ask can do without; a definition that the server refuses says more when it is to be installed.
    if (!(error instanceof ClientError)) throw error;
  }
}

/** Without where its conversion is: the operator that converts tells that itself, when it can. */
export async function definitionOf(resource: Resource): Promise<CustomResourceDefinition> {
  // Loaded when needed: whoever installs nothing need not load zod.
  const { crdOf } = await import('@kurator/schema');
  const { spec, ...rest } = crdOf(resource, { conversionWebhook: { url: 'https://unknown.invalid' } });
  const { conversion: _, ...kept } = spec;
  return { ...rest, spec: kept };
}

async function established(client: Client, name: string, signal: AbortSignal | undefined): Promise<void> {
  const isTrue = ({ status }: CustomResourceDefinition) =>
    status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True') ?? false;
  await waitFor(client, CustomResourceDefinition, { name }, isTrue, { description: 'to be established', signal });
}

const BETWEEN_LOOKS = 1_000;
const LOOKS_BETWEEN_WORDS = 60;

/** By discovery, which everybody may read, also who may not read definitions. */
async function served(client: Client, { apiVersion, kind, plural }: Resource, options: InstallOptions): Promise<void> {
  const { signal, onProgress } = options;
  for (let looks = 0; ; looks++) {
    try {
      await client.discover(apiVersion, kind, { signal });
      return;
    } catch (error) {
      if (!hasCode(error, 'KUR_CLIENT_UNKNOWN_KIND')) throw error;
    }
    if (looks % LOOKS_BETWEEN_WORDS === 1) {
      const group = apiVersion.slice(0, apiVersion.indexOf('/'));
      onProgress?.(`waits until the cluster knows ${kind}: install the definition ${plural}.${group}`);
    }
    await delay(BETWEEN_LOOKS, undefined, { signal });
  }
}

/** How it is waited. */
export interface Waiting {
  readonly stop: AbortSignal;
  readonly clock: Clock;
  /** Told of each failure that is not the end of it. */
  onTrouble(error: Error): void;
}

const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 5_000;

/**
 * Tries again as long as the API server is away. To end for that would help nobody: the kubelet starts a program that ends
 * ever more slowly, so that it would still be missing for minutes after the server has come back.
 */
export async function untilAnswered<T>(attempt: () => Promise<T>, { stop, clock, onTrouble }: Waiting): Promise<T> {
  for (let wait = FIRST_PAUSE; ; wait = Math.min(LONGEST_PAUSE, wait * 2)) {
    try {
      return await attempt();
    } catch (error) {
      if (stop.aborted || !isAway(error)) throw error;
      onTrouble(error);
      await pause(clock, wait, stop);
    }
  }
}

const passing = ['KUR_CLIENT_UNREACHABLE', 'KUR_CLIENT_TIMEOUT', 'KUR_CLIENT_SERVER'] as const;

function isAway(error: unknown): error is Error {
  return passing.some((code) => hasCode(error, code));
}
