/**
 * A daemon for each object: it follows something for as long as the object lives, and is begun again when it fails. Here
 * it follows the log of a pod, and counts the lines.
 */
import { operator, Pod, resource, z } from '@kurator/sdk';

export const LogWatch = resource({
  group: 'examples.kurator.sh',
  version: 'v1',
  kind: 'LogWatch',
  plural: 'logwatches',
  spec: z.object({ url: z.url() }),
  status: z.object({ lines: z.int() }),
});

export const example = operator({ name: 'logwatches' })
  .controller(LogWatch)
  .uses(Pod, ['get'])
  .daemon(async ({ metadata, spec }, { client, signal }) => {
    const answer = await fetch(spec.url, { signal });
    let lines = 0;
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      lines += chunk.split('\n').length - 1;
      await client.patch(LogWatch, metadata, { status: { lines } }, { subresource: 'status' });
    }
  });
