/**
 * What a program refers to by `new URL('./thread.ts', import.meta.url)`: threads that it starts and files that it reads.
 * No bundler sees them, because nothing imports them; after bundling they lie beside the program.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, extname, relative, resolve, sep } from 'node:path';
import type { Loader, OnLoadResult, Plugin } from 'esbuild';

const REFERENCE = /new URL\(([^;{}]*?),\s*import\.meta\.url,?\s*\)/g;
const RELATIVE = /(['"`])(\.\.?\/[^'"`$]+)\1/g;
const LOADERS: Readonly<Record<string, Loader>> = { '.ts': 'ts', '.mts': 'ts', '.cts': 'ts' };

/** @param found Is given the absolute path of each. @param root The project's folder. */
export function companionsPlugin(found: Set<string>, root: string): Plugin {
  return {
    name: 'companions',
    setup(build) {
      build.onLoad({ filter: /\.[cm]?[jt]s$/ }, async ({ path }): Promise<OnLoadResult | undefined> => {
        const text = await readFile(path, 'utf8');
        if (!text.includes('import.meta.url')) return undefined;
        const contents = withCompanions(
          text,
          { folder: dirname(path), root },
          (companion) => void found.add(companion),
        );
        if (contents === text) return undefined;
        return { contents, loader: LOADERS[extname(path)] ?? 'js', resolveDir: dirname(path) };
      });
    },
  };
}

/** Where a text lies. */
export interface SourcePlace {
  readonly folder: string;
  /** The project's folder. */
  readonly root: string;
}

/** The text with each reference to a file that is there pointing to where it will lie: beside the program. */
export function withCompanions(
  text: string,
  { folder, root }: SourcePlace,
  onFound: (path: string) => void,
  isThere: (path: string) => boolean = existsSync,
): string {
  return text.replace(REFERENCE, (reference, inner: string) => {
    const moved = inner.replace(RELATIVE, (literal, quote: string, relative: string) => {
      const path = sourceOf(resolve(folder, relative), isThere);
      if (path === undefined) return literal;
      onFound(path);
      return `${quote}./${builtName(path, root)}${quote}`;
    });
    return reference.replace(inner, () => moved);
  });
}

/** What a published program calls `.js` may be `.ts` in the source. */
function sourceOf(path: string, isThere: (path: string) => boolean): string | undefined {
  const asTypeScript = path.replace(/\.([cm]?)js$/, '.$1ts');
  return [path, asTypeScript].find((candidate) => extname(candidate) !== '' && isThere(candidate));
}

const PROGRAM = /\.[cm]?[jt]s$/;

/** Whether it is to be bundled itself; other files are copied as they are. */
export function isProgram(path: string): boolean {
  return PROGRAM.test(path);
}

/**
 * What it is called in the bundle. Programs lie side by side; a file has a folder of its own, called after where it came
 * from, so that two of one name stay two, and none is taken for the bundle's own.
 */
export function builtName(path: string, root: string): string {
  if (isProgram(path)) return basename(path).replace(PROGRAM, '.js');
  const origin = relative(root, path).split(sep).join('/');
  return `files/${createHash('sha256').update(origin).digest('hex').slice(0, 12)}/${basename(path)}`;
}
