/** Where a test about Echoes takes place: a server that knows them, and a namespace that nobody else has. */
import type { Client } from '@kurator/client';
import { sharedClient, testNamespace } from '@kurator/testenv';
import { onTestFinished } from 'vitest';
import { installEcho } from './echo.ts';

let installed: Promise<void> | undefined;

/** To be called in a test, or before each; the client is closed when the test has ended. */
export async function echoPlace(prefix: string): Promise<{ client: Client; namespace: string }> {
  const client = await sharedClient();
  onTestFinished(() => client.close());
  installed ??= installEcho(client);
  await installed;
  return { client, namespace: await testNamespace(client, prefix) };
}
