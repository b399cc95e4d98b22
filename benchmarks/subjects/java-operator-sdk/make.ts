/** The peer in Java. */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Subject } from '../subject.ts';
import { builtOnce } from '../workshop.ts';

/** What the JVM chooses by itself in a container of two cores and 1.5 GiB, instead of a quarter of this machine. */
const CONTAINER = ['-XX:+UseSerialGC', '-Xmx1g'];

/** The kubeconfig has a key on an elliptic curve, which this client must be told. */
const KEY = '-Dkubernetes.certs.client.key.algo=EC';

export async function makeJavaOperatorSdk(): Promise<Subject> {
  const folder = await builtOnce('java-operator-sdk', async ({ recipe, product }, step) => {
    await step('mvn', ['--quiet', '--batch-mode', 'package']);
    await copyFile(join(recipe, 'target', 'echo.jar'), join(product, 'echo.jar'));
  });
  return { name: 'java-operator-sdk', command: ['java', ...CONTAINER, KEY, '-jar', join(folder, 'echo.jar')] };
}
