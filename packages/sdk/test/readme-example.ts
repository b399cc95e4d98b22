import { ConfigMap, operator, resource, z } from '@kurator/sdk';

const Greeting = resource({
  group: 'example.com',
  version: 'v1',
  kind: 'Greeting',
  spec: z.object({ name: z.string().min(1), excited: z.boolean().default(false) }),
  status: z.object({ text: z.string() }),
  columns: { Text: '.status.text' },
});

await operator()
  .controller(Greeting)
  .owns(ConfigMap)
  .reconcile(async ({ metadata, spec }, { apply, event }) => {
    const text = `hello ${spec.name}${spec.excited ? '!' : ''}`;
    await apply(ConfigMap, { metadata: { name: metadata.name }, data: { text } });
    event('Normal', 'Greeted', text);
    return { status: { text } };
  })
  .run();
