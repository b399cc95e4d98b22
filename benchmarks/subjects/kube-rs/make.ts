/** The peer in Rust. */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Subject } from '../subject.ts';
import { builtOnce } from '../workshop.ts';

export async function makeKubeRs(): Promise<Subject> {
  const folder = await builtOnce('kube-rs', async ({ recipe, product }, step) => {
    await step('cargo', ['build', '--release', '--quiet', '--target-dir', 'target']);
    await copyFile(join(recipe, 'target', 'release', 'echo'), join(product, 'echo'));
  });
  return { name: 'kube-rs', command: [join(folder, 'echo')] };
}
