/** Every replica keeps the routes in its own memory, whoever leads; that they are counted is enough to be done once. */
import { operator, resource, z } from '@kurator/sdk';

export const Route = resource({
  group: 'examples.kurator.sh',
  version: 'v1',
  kind: 'Route',
  spec: z.object({ path: z.string(), to: z.string() }),
  status: z.object({ countedBy: z.string() }),
});

export const example = (replica: string, routes: Map<string, string>) =>
  operator({ name: 'routes' })
    .controller(Route, { name: 'table', everyReplica: true, readyCondition: false })
    .reconcile(({ spec }) => void routes.set(spec.path, spec.to))
    .controller(Route)
    .reconcile(() => ({ status: { countedBy: replica } }));
