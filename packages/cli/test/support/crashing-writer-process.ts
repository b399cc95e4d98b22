/** Writes files and is killed in the midst of it: run as `crashing-writer-process.ts FOLDER CHANGES STEP` by a test. */
import type { FileChange } from '../../src/files/change.ts';
import { writeFiles } from '../../src/files/write-files.ts';

const [folder = '', changes = '[]', step = ''] = process.argv.slice(2);
// JSON has no undefined.
const parsed = (JSON.parse(changes) as { path: string; before?: string; after?: string }[]).map(
  ({ path, before, after }): FileChange => ({ path, before, after }),
);
await writeFiles(folder, parsed, (done) => {
  if (done === Number(step)) process.kill(process.pid, 'SIGKILL');
});
