/** The peer in Python. */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Subject } from '../subject.ts';
import { builtOnce } from '../workshop.ts';

export async function makeKopf(): Promise<Subject> {
  const folder = await builtOnce('kopf', async ({ recipe, product }, step) => {
    const python = join(product, 'python', 'bin', 'python');
    await step('python3', ['-m', 'venv', join(product, 'python')]);
    await step(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', 'requirements.txt']);
    await copyFile(join(recipe, 'main.py'), join(product, 'main.py'));
  });
  // By its module, since the programs that pip writes know the path they were installed to. `exec`, so that the process
  // that is measured is the operator's.
  const start = 'exec "$0" -m kopf run --quiet --standalone --namespace="$NAMESPACE" "$1"';
  const python = join(folder, 'python', 'bin', 'python');
  return { name: 'kopf', command: ['sh', '-c', start, python, join(folder, 'main.py')] };
}
