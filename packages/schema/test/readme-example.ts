import { createClient, loadConfig } from '@kurator/client';
import { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import { crdOf, duration, immutable, manifestOf, resource } from '@kurator/schema';
import { z } from 'zod';

const target = z.discriminatedUnion('type', [
  z.object({ type: z.literal('bucket'), url: z.string().max(2048) }),
  z.object({ type: z.literal('volume'), claim: z.string().max(253) }),
]);
export const Backup = resource({
  group: 'example.com',
  version: 'v1',
  kind: 'Backup',
  spec: z.object({ source: immutable(z.string().min(1)), every: duration({ min: '1m' }).default('24h'), target }),
  status: z.object({ lastRun: z.iso.datetime() }),
  columns: { Source: '.spec.source', 'Last run': '.status.lastRun' },
});

const client = createClient(await loadConfig());
await client.apply(CustomResourceDefinition, crdOf(Backup), { fieldManager: 'readme' });

// Defaults are filled in, and mistakes found, before anything is sent; the API server checks it again.
const spec = { source: 'db', target: { type: 'bucket', url: 's3://backups' } } as const;
const nightly = manifestOf(Backup, { metadata: { name: 'nightly', namespace: 'default' }, spec });
process.stdout.write(`${nightly.spec.source} every ${nightly.spec.every}\n`);
await client.close();
