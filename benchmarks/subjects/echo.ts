/** The kind that every operator of the benchmark looks after. */
import { type Client, type KubernetesObject, resourceType, waitFor } from '@kurator/client';
import { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';

export interface Echo extends KubernetesObject {
  spec?: { message: string };
  status?: { ready?: boolean; observedGeneration?: number };
}
export const Echo = resourceType<Echo>('bench.kurator.dev/v1', 'Echo', { plural: 'echoes' });

export async function installEcho(client: Client): Promise<void> {
  const properties = {
    spec: { type: 'object', properties: { message: { type: 'string' } } },
    status: { type: 'object', properties: { ready: { type: 'boolean' }, observedGeneration: { type: 'integer' } } },
  };
  const metadata = { name: 'echoes.bench.kurator.dev' };
  await client.apply(
    CustomResourceDefinition,
    {
      metadata,
      spec: {
        group: 'bench.kurator.dev',
        scope: 'Namespaced',
        names: { kind: 'Echo', plural: 'echoes', singular: 'echo', listKind: 'EchoList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: { openAPIV3Schema: { type: 'object', properties } },
          },
        ],
      },
    },
    { fieldManager: 'bench' },
  );
  const isEstablished = ({ status }: CustomResourceDefinition) =>
    status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True') ?? false;
  await waitFor(client, CustomResourceDefinition, metadata, isEstablished);
}

export const isDone = ({ metadata, status }: Echo): boolean =>
  status?.ready === true && status.observedGeneration === metadata.generation;
