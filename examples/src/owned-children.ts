/** Owned children: a ConfigMap and a Service for each Page, applied as a set, put back, and gone with it. */
import { ConfigMap, child, operator, resource, Service, z } from '@kurator/sdk';

export const Page = resource({
  group: 'examples.kurator.sh',
  version: 'v1',
  kind: 'Page',
  spec: z.object({ text: z.string(), public: z.boolean().default(true) }),
  status: z.object({ children: z.int() }),
});

export const example = operator({ name: 'pages' })
  .controller(Page)
  .owns(ConfigMap)
  .owns(Service)
  .reconcile(async ({ metadata: { name }, spec }, { applyAll, owned }) => {
    const content = child(ConfigMap, { metadata: { name }, data: { 'index.html': spec.text } });
    const door = child(
      Service,
      { metadata: { name }, spec: { selector: { page: name }, ports: [{ port: 80 }] } },
      { after: ['content'] },
    );
    // The set is whole: what it no longer has is deleted, so a page that is private loses its Service.
    await applyAll(spec.public ? { content, door } : { content });
    return { status: { children: owned(ConfigMap).length + owned(Service).length } };
  });
