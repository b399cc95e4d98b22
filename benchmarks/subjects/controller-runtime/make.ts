/** The reference, on Go's controller-runtime. */
import { join } from 'node:path';
import type { Subject } from '../subject.ts';
import { builtOnce } from '../workshop.ts';

export async function makeControllerRuntime(): Promise<Subject> {
  const folder = await builtOnce('controller-runtime', async ({ product }, step) => {
    const env = { GOFLAGS: '-mod=mod', CGO_ENABLED: '0' };
    await step('go', ['mod', 'tidy'], env);
    await step('go', ['build', '-trimpath', '-ldflags', '-s -w', '-o', join(product, 'echo'), '.'], env);
  });
  return { name: 'controller-runtime', command: [join(folder, 'echo')] };
}
