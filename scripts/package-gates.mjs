/**
 * What a package must be before it is published: built, free of dead code, complete for its users, and documented.
 * Every gate runs, also after one that failed, except that what was not built can't be looked at.
 */
import { relative } from 'node:path';
import { runChild } from './setup/child.mjs';
import { undocumentedExports } from './stages/documentation.mjs';
import { publishedPackages } from './stages/published-packages.mjs';

const packages = publishedPackages(process.cwd());

/**
 * @param {string} title
 * @param {string} command
 * @param {string[]} args
 */
async function passes(title, command, args) {
  const { code, output } = await runChild(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  if (code !== 0) console.log(`${title}:\n${output.trimEnd()}\n`);
  return code === 0;
}

function everyExportIsDocumented() {
  const missing = undocumentedExports(packages.map((folder) => `${folder}/src/index.ts`));
  const lines = missing.map(({ file, line, name }) => `${relative('.', file)}:${line} ${name}`);
  if (lines.length > 0) console.log(`Exported without a doc comment:\n${lines.join('\n')}\n`);
  return lines.length === 0;
}

async function main() {
  if (!(await passes('Build', process.execPath, ['scripts/build.mjs']))) return false;
  const results = await Promise.all([
    passes('knip', 'knip', ['--no-progress', '--no-config-hints']),
    ...packages.map((folder) => passes(`publint ${folder}`, 'publint', ['--strict', folder])),
    ...packages.map((folder) => passes(`attw ${folder}`, 'attw', ['--profile', 'esm-only', '--pack', folder])),
    everyExportIsDocumented(),
  ]);
  return results.every(Boolean);
}

process.exitCode = (await main()) ? 0 : 1;
