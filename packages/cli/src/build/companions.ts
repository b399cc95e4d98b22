/**
 * What a program refers to by `new URL('./thread.ts', import.meta.url)`: threads that it starts and files that it reads.
 * No bundler sees them, because nothing imports them; after bundling they lie beside the program.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, extname, resolve } from 'node:path';
import type { Loader, OnLoadResult, Plugin } from 'esbuild';

const REFERENCE = /new URL\(([^;{}]*?),\s*import\.meta\.url,?\s*\)/g;
const RELATIVE = /(['"`])(\.\.?\/[^'"`$]+)\1/g;
const LOADERS: Readonly<Record<string, Loader>> = { '.ts': 'ts', '.mts': 'ts', '.cts': 'ts' };

/** @param found Is given the absolute path of each. */
export function companionsPlugin(found: Set<string>): Plugin {
  return {
    name: 'companions',
    setup(build) {
      build.onLoad({ filter: /\.[cm]?[jt]s$/ }, async ({ path }): Promise<OnLoadResult | undefined> => {
        const text = await readFile(path, 'utf8');
        if (!text.includes('import.meta.url')) return undefined;
        const contents = withCompanions(text, dirname(path), (companion) => void found.add(companion));
        if (contents === text) return undefined;
        return { contents, loader: LOADERS[extname(path)] ?? 'js', resolveDir: dirname(path) };
      });
    },
  };
}

/** The text with each reference to a file that is there pointing to where it will lie: beside the program. */
export function withCompanions(
  text: string,
  folder: string,
  onFound: (path: string) => void,
  isThere: (path: string) => boolean = existsSync,
): string {
  return text.replace(REFERENCE, (reference, inner: string) => {
    const moved = inner.replace(RELATIVE, (literal, quote: string, relative: string) => {
      const path = sourceOf(resolve(folder, relative), isThere);
      if (path === undefined) return literal;
      onFound(path);
      return `${quote}./${builtName(path)}${quote}`;
    });
    return reference.replace(inner, () => moved);
  });
}

/** What a published program calls `.js` may be `.ts` in the source. */
function sourceOf(path: string, isThere: (path: string) => boolean): string | undefined {
  const asTypeScript = path.replace(/\.([cm]?)js$/, '.$1ts');
  return [path, asTypeScript].find((candidate) => extname(candidate) !== '' && isThere(candidate));
}

function builtName(path: string): string {
  return basename(path).replace(/\.[cm]?[jt]s$/, '.js');
}
