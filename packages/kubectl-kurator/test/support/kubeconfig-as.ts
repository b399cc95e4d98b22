/** Somebody else, as the API server sees it. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

/** A kubeconfig as the given one, for whoever `whom` names: `{ as: 'jane' }`. */
export async function kubeconfigAs(kubeconfig: string, whom: Record<string, unknown>) {
  const folder = await mkdtemp(join(tmpdir(), 'kur-'));
  const file = join(folder, 'kubeconfig');
  const config = parse(await readFile(kubeconfig, 'utf8'));
  for (const { user } of config.users) Object.assign(user, whom);
  await writeFile(file, JSON.stringify(config));
  return { file, [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true }) };
}
