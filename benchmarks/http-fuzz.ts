/**
 * Our client of HTTP/1.1 against Node's, on rows of random answers: `npm run bench -- http-fuzz [ROWS [SEED]]`. A hundred
 * thousand rows and a seed of its own unless given; the same seed is the same rows. It fails where the two differ in a way that
 * packages/client/test/support/http-fuzz/compare.ts does not list.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../packages/client/test/support/http-fuzz-process.ts', import.meta.url));
const { status } = spawnSync(process.execPath, ['--conditions=source', program, ...process.argv.slice(2)], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
