/**
 * Writes src/generated: the types of all built-in kinds, as the API server at hand ($KUBECONFIG) describes them.
 * With `--check` it writes nothing, and fails where what is there is not what it would write.
 *
 *     node --conditions=source packages/client/scripts/generate-types.ts [--check]
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createClient, loadConfig } from '@kurator/client';
import { describeApi } from './openapi.ts';
import { generateTypes } from './type-generator.ts';

const folder = join(import.meta.dirname, '..', 'src', 'generated');
const check = process.argv.includes('--check');

const client = createClient(await loadConfig());
const { schemas, resources } = await describeApi(client);
await client.close();
const files = generateTypes(schemas, resources);

if (check) {
  const stale: string[] = [];
  for (const [file, text] of files) {
    if ((await readFile(join(folder, file), 'utf8').catch(() => '')) !== text) stale.push(file);
  }
  process.stdout.write(stale.length === 0 ? `${files.size} files are up to date\n` : `stale: ${stale.join(', ')}\n`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  await rm(folder, { recursive: true, force: true });
  for (const [file, text] of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  process.stdout.write(`${files.size} files written to src/generated\n`);
}
