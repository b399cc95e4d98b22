/**
 * Packs what `kurator init --sdk FOLDER` needs, as npm would publish it: `npm run pack -- FOLDER`. The packages are built
 * first, and whatever else of this repository they depend on comes along.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runChild } from './setup/child.mjs';

const wanted = ['packages/sdk', 'packages/testenv', 'packages/cli'];
const rooms = ['packages', 'operators'];

/** @param {string} folder */
function ownDependencies(folder) {
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return Object.keys(dependencies).filter((name) => name.startsWith('@kurator/'));
}

/** Where a package of ours is. @param {string} name */
function folderOf(name) {
  const short = name.slice('@kurator/'.length);
  return short.startsWith('operator-') ? `${rooms[1]}/${short.slice('operator-'.length)}` : `${rooms[0]}/${short}`;
}

function closure() {
  const found = new Set(wanted);
  for (const folder of found) for (const name of ownDependencies(folder)) found.add(folderOf(name));
  return [...found];
}

/**
 * @param {string} command
 * @param {string[]} args
 */
async function run(command, args) {
  const { code, output } = await runChild(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${output}`);
}

const destination = resolve(process.argv[2] ?? 'packed');
mkdirSync(destination, { recursive: true });
// Only what has changed since: it is quick where everything was built just now.
await run(join('node_modules', '.bin', 'tsc'), ['-b', 'tsconfig.build.json']);
const folders = closure().map((folder) => `./${folder}`);
await run('npm', ['pack', '--silent', '--pack-destination', destination, ...folders]);
console.log(destination);
