/** Writes what is published: packages/*\/dist by plain tsc, and the licence beside it. `npm run build` */
import { spawnSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { publishedPackages } from './stages/published-packages.mjs';

const packages = publishedPackages(process.cwd());

for (const folder of packages) {
  // tsc never removes the output of a file that is gone.
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
  copyFileSync('LICENSE', join(folder, 'LICENSE'));
}

const { status } = spawnSync(join('node_modules', '.bin', 'tsc'), ['-b', 'tsconfig.build.json'], { stdio: 'inherit' });
process.exitCode = status ?? 1;
