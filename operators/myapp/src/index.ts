/** The smallest whole operator: each MyApp has a Deployment that is kept in step with it. */
import { Deployment, operator, Pod, resource, rolloutCondition, z } from '@kurator/sdk';

export const MyApp = resource({
  group: 'example.com',
  version: 'v1alpha1',
  kind: 'MyApp',
  spec: z.object({ replicas: z.int().min(0).default(1), image: z.string().min(1) }),
  status: z.object({ readyReplicas: z.int() }),
  columns: { Replicas: '.spec.replicas', Image: '.spec.image' },
});

const label = 'example.com/myapp';

export const myapp = operator()
  .controller(MyApp)
  .owns(Deployment)
  .watches(Pod, (pod) => pod.metadata.labels?.[label], { labels: label })
  .reconcile(async ({ metadata: { name }, spec }, { apply, list }) => {
    const labels = { [label]: name };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'app', image: spec.image }] } };
    const deployment = await apply(Deployment, {
      metadata: { name, labels },
      spec: { replicas: spec.replicas, selector: { matchLabels: labels }, template },
    });
    const status = { readyReplicas: deployment.status?.readyReplicas ?? 0 };
    return { status, conditions: [rolloutCondition(deployment, list(Pod, { labels }))] };
  });
