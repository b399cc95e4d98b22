/**
 * Writes docs/reference/fields.md from the CRDs in deploy/:
 *
 *     npm run -s field-reference              # writes the page
 *     npm run -s field-reference -- --check   # writes nothing, and fails if the page would change
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fieldPage, fieldPageText } from './stages/field-page.mjs';

const text = fieldPageText();
if (!process.argv.includes('--check')) {
  writeFileSync(fieldPage, text);
  console.log(`wrote ${fieldPage}`);
} else if (readFileSync(fieldPage, 'utf8') !== text) {
  console.error(`${fieldPage} is not what the CRDs say: run \`npm run field-reference\``);
  process.exitCode = 1;
}
