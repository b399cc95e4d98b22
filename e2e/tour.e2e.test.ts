/** What `npm start` shows a newcomer. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { listClusters } from '@kurator/testenv';
import { expect, it } from 'vitest';

const kurator = join(import.meta.dirname, '..', 'packages', 'cli', 'src', 'main.ts');

it('the tour runs a sample Deployment on a real node, reads its log, and leaves nothing', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=source', kurator, 'tour']);
  expect(stdout).toMatch(/Up: Kubernetes 1\.36\.\d+, one node/);
  expect(stdout).toMatch(/It answered: Hello from hello-/);
  expect(stdout).toMatch(/hello-\S+ serves on port 8080/);
  expect(stdout).toContain('The cluster is down, and nothing of it is left.');
  expect((await listClusters()).map(({ name }) => name)).not.toContain('tour');
});
