/** Puts a CRD into the shared control plane, and waits until its objects can be used. */
import { randomBytes } from 'node:crypto';
import { type Client, hasCode, type ResourceType, waitFor } from '@kurator/client';
import { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import { type CrdOptions, crdOf, type Resource } from '../../src/index.ts';

/** A group that no other test has. */
export function uniqueGroup(): string {
  return `g${randomBytes(4).toString('hex')}.example.com`;
}

/** Installs the CRD of a resource. */
export async function install(client: Client, resource: Resource, options?: CrdOptions): Promise<void> {
  await installCrd(client, crdOf(resource, options), resource);
}

/** Installs a CRD, and waits until objects of the type can be listed. */
export async function installCrd(client: Client, crd: CustomResourceDefinition, type: ResourceType): Promise<void> {
  const { name } = (await client.create(CustomResourceDefinition, crd)).metadata;
  await waitFor(client, CustomResourceDefinition, { name }, ({ status }) =>
    Boolean(status?.conditions?.some((condition) => condition.type === 'Established' && condition.status === 'True')),
  );
  // Established is said a moment before it is served.
  const deadline = Date.now() + 20_000;
  while (Date.now() < deadline) {
    const failure = await client.list(type, { limit: 1 }).catch((error: unknown) => error);
    if (!hasCode(failure, 'KUR_CLIENT_NOT_FOUND') && !hasCode(failure, 'KUR_CLIENT_UNKNOWN_KIND')) return;
  }
  throw new Error(`${name} is established, and yet not served`);
}
