/** Makes one file of a Node program, as an operator's image ships it: minified, with its dependencies inside. */
import { build } from 'esbuild';

/** Packages written as CommonJS ask for Node's own modules at run time, which an ES module has no word for. */
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/** The text of the one file that `entry` and all it imports become; our own packages are read from their sources. */
export async function bundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    write: false,
    bundle: true,
    minify: true,
    platform: 'node',
    target: `node${process.versions.node}`,
    format: 'esm',
    conditions: ['source'],
    banner: { js: REQUIRE },
    logLevel: 'silent',
  });
  return outputFiles.map(({ text }) => text).join('');
}
