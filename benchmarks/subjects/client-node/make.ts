/** The peer in JavaScript; made to one file, as ours is, so that its start is not Node's search for modules. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundle } from '../bundle.ts';
import type { Subject } from '../subject.ts';
import { builtOnce } from '../workshop.ts';

export async function makeClientNode(): Promise<Subject> {
  const folder = await builtOnce('client-node', async ({ recipe, product }, step) => {
    await step('npm', ['install', '--silent', '--no-audit', '--no-fund']);
    await writeFile(join(product, 'echo.mjs'), await bundle(join(recipe, 'main.mjs')));
  });
  return { name: 'client-node', command: [process.execPath, join(folder, 'echo.mjs')] };
}
