/** What the API server was told of webhooks before this process told it anything, so that it can be told so again. */
import { type Client, isConflict, isNotFound, type KubernetesObject } from '@kurator/client';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@kurator/client/admissionregistration/v1';
import { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';

/** The process is ending: nothing may hold that up for long. */
const TIMEOUT = 2_000;
const TRIES = 3;

/** Puts everything back; what fails is told, and the rest goes on. */
export type Restore = (onFailure: (error: unknown, what: string) => void) => Promise<void>;

/** @param definitions The names of the definitions (CRDs) whose conversion may be changed. */
export async function registrationsNow(client: Client, name: string, definitions: readonly string[]): Promise<Restore> {
  const kinds = [ValidatingWebhookConfiguration, MutatingWebhookConfiguration];
  const configurations = kinds.map(async (type) => {
    const before = await client.find(type, { name });
    return { what: `${type.kind} ${name}`, restore: () => restoreConfiguration(client, type, name, before) };
  });
  const conversions = definitions.map(async (crd) => {
    const before = await client.find(CustomResourceDefinition, { name: crd });
    return { what: `the conversion of ${crd}`, restore: () => restoreConversion(client, crd, before) };
  });
  const all = await Promise.all([...configurations, ...conversions]);
  return async (onFailure) => {
    for (const { what, restore } of all) await againOnConflict(restore).catch((error) => onFailure(error, what));
  };
}

interface Configuration extends KubernetesObject {
  webhooks?: unknown[];
}

async function restoreConfiguration(
  client: Client,
  type: typeof ValidatingWebhookConfiguration | typeof MutatingWebhookConfiguration,
  name: string,
  before: Configuration | undefined,
): Promise<void> {
  const live = await client.find(type, { name }, { timeout: TIMEOUT });
  if (before === undefined) {
    const uid = live?.metadata.uid;
    if (uid) await client.delete(type, { name }, { timeout: TIMEOUT, preconditions: { uid } }).catch(unlessGone);
    return;
  }
  const { labels = {}, annotations = {} } = before.metadata;
  const webhooks = (before.webhooks ?? []) as never;
  if (!live) {
    await client.create(type, { metadata: { name, labels, annotations }, webhooks }, { timeout: TIMEOUT });
    return;
  }
  const { managedFields: _, ...metadata } = live.metadata;
  await client.replace(type, { metadata: { ...metadata, labels, annotations }, webhooks }, { timeout: TIMEOUT });
}

/** A definition that was not there before was installed for its own sake, and stays; without a webhook that is gone. */
async function restoreConversion(
  client: Client,
  name: string,
  before: CustomResourceDefinition | undefined,
): Promise<void> {
  const value = before?.spec.conversion ?? { strategy: 'None' };
  const patch = [{ op: 'replace', path: '/spec/conversion', value }];
  await client.patch(CustomResourceDefinition, { name }, patch, { type: 'json', timeout: TIMEOUT }).catch(unlessGone);
}

async function againOnConflict(act: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await act();
    } catch (error) {
      if (!isConflict(error) || tries === TRIES) throw error;
    }
  }
}

function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
