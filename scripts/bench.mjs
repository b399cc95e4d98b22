/** Runs one benchmark: `npm run bench -- NAME` is benchmarks/NAME.ts. */
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [name = ''] = process.argv.slice(2);
const known = globSync('benchmarks/*.ts', { exclude: (file) => file.endsWith('.test.ts') })
  .map((file) => basename(file, '.ts'))
  .sort();

const file = join(process.cwd(), 'benchmarks', `${name}.ts`);
if (known.includes(name)) {
  // As if it had been started by itself: its arguments begin where every program's do.
  process.argv.splice(1, 2, file);
  await import(pathToFileURL(file).href);
} else {
  console.error(
    `${name ? `There is no benchmark "${name}"` : 'Which benchmark?'}: ${known.join(', ') || 'there are none yet'}.`,
  );
  process.exitCode = 1;
}
