/** The kind that the tests of the operator builder are about: a garden has beds (ConfigMaps), and may have more. */
import type { Client } from '@kurator/client';
import { type ObjectOf, resource } from '@kurator/schema';
import { z } from 'zod';
import type { StartOptions } from '../../src/index.ts';

export const Garden = resource({
  group: 'garden.test.kurator.dev',
  version: 'v1',
  kind: 'Garden',
  spec: z.object({ beds: z.array(z.string()).default([]), soil: z.string().optional() }),
  status: z.object({ planted: z.int() }),
});
export type Garden = ObjectOf<typeof Garden>;

/** How every test starts its operators: silently, and in its own namespace. */
export function quietly(client: Client, namespaces: string | string[]): StartOptions {
  return { client, namespaces, http: false, log: 'silent' };
}
