/** The kind that the tests of controllers and of writing are about: it keeps one ConfigMap in step with its message. */
import {
  type Client,
  type Condition,
  type KubernetesObject,
  resourceType,
  type UntypedObject,
  waitFor,
} from '@kurator/client';

export interface Echo extends KubernetesObject {
  spec?: { message?: string; copies?: number };
  status?: { ready?: boolean; observedGeneration?: number; conditions?: Condition[] };
}
export const Echo = resourceType<Echo>('test.kurator.dev/v1', 'Echo', { plural: 'echoes' });

const CustomResourceDefinition = resourceType<UntypedObject>('apiextensions.k8s.io/v1', 'CustomResourceDefinition', {
  namespaced: false,
});

const condition = {
  type: 'object',
  required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
  properties: {
    type: { type: 'string' },
    status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
    reason: { type: 'string', pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$' },
    message: { type: 'string' },
    lastTransitionTime: { type: 'string', format: 'date-time' },
    observedGeneration: { type: 'integer', format: 'int64' },
  },
};

const schema = {
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { message: { type: 'string' }, copies: { type: 'integer' } } },
    status: {
      type: 'object',
      properties: {
        ready: { type: 'boolean' },
        observedGeneration: { type: 'integer', format: 'int64' },
        conditions: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['type'],
          items: condition,
        },
      },
    },
  },
};

/** Teaches the server the kind; does nothing if it knows it already. */
export async function installEcho(client: Client): Promise<void> {
  const name = 'echoes.test.kurator.dev';
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    subresources: { status: {} },
    schema: { openAPIV3Schema: schema },
  };
  const spec = {
    group: 'test.kurator.dev',
    scope: 'Namespaced',
    names: { plural: 'echoes', singular: 'echo', kind: 'Echo', listKind: 'EchoList' },
    versions: [version],
  };
  await client.apply(CustomResourceDefinition, { metadata: { name }, spec }, { fieldManager: 'tests', force: true });
  const isServed = ({ status }: UntypedObject) =>
    (status?.conditions ?? []).some((one: Condition) => one.type === 'Established' && one.status === 'True');
  await waitFor(client, CustomResourceDefinition, { name }, isServed, { description: 'to be served' });
  // Its storage is made ready a moment later; until then the server sends watches away, and lists are tried again.
  await client.list(Echo);
}
