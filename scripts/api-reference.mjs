/**
 * Writes docs/reference/api from the comments in the sources:
 *
 *     npm run -s api-reference              # writes the pages
 *     npm run -s api-reference -- --check   # writes nothing, and fails if a page would change or a comment is missing
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { apiPages } from './stages/api-pages.mjs';

/** @param {string} file */
function present(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

const isCheck = process.argv.includes('--check');
const { pages, missing } = apiPages();
const stale = [...pages].filter(([file, text]) => present(file) !== text);

for (const name of missing) console.error(`exported without a doc comment: ${name}`);
for (const [file, text] of stale) {
  if (isCheck) {
    console.error(`${file} is not what the sources say: run \`npm run api-reference\``);
  } else {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    console.log(`wrote ${file}`);
  }
}
process.exitCode = missing.length > 0 || (isCheck && stale.length > 0) ? 1 : 0;
