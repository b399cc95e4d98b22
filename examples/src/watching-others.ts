/**
 * Watching objects of others, found by an index: a Banner shows the text of a ConfigMap that somebody else keeps, and
 * follows it when it changes.
 */
import { ConfigMap, operator, PermanentError, resource, z } from '@kurator/sdk';

export const Banner = resource({
  group: 'examples.kurator.sh',
  version: 'v1',
  kind: 'Banner',
  spec: z.object({ textFrom: z.string().min(1) }),
  status: z.object({ text: z.string() }),
  columns: { Text: '.status.text' },
});

export const example = operator({ name: 'banners' })
  .controller(Banner)
  .index(Banner, 'source', (banner) => `${banner.metadata.namespace}/${banner.spec.textFrom}`)
  .watches(ConfigMap, ({ metadata }, { byIndex }) =>
    byIndex(Banner, 'source', `${metadata.namespace}/${metadata.name}`),
  )
  .reconcile(({ spec }, { get }) => {
    const source = get(ConfigMap, spec.textFrom);
    // No use in trying again: the watch calls when there is one.
    if (!source) throw new PermanentError(`there is no ConfigMap ${spec.textFrom}`, { reason: 'SourceMissing' });
    return { status: { text: source.data?.text ?? '' } };
  });
