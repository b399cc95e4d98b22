/** Makes one folder of JavaScript, which needs no node_modules, of an operator's program and all that it starts or reads. */
import { copyFile, mkdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { CliError } from '@kurator/command';
import type { BuildFailure, BuildOptions, Plugin } from 'esbuild';
import type { Project } from '../project/project.ts';
import { builtName, companionsPlugin, isProgram } from './companions.ts';

/** What was bundled. */
export interface CompiledProgram {
  /** The program to start; absolute. */
  readonly main: string;
  /** The source files that are in it; absolute. */
  readonly inputs: readonly string[];
  readonly bytes: number;
}

/** What isn't written as a module asks for its parts by `require`. */
const REQUIRE =
  "import { createRequire as moduleRequire } from 'node:module'; const require = moduleRequire(import.meta.url);";

/** From a clone, `@kurator/*` are their sources; where they are installed, they are JavaScript. */
const conditions = import.meta.url.endsWith('.ts') ? ['source'] : [];

/** @param outdir Must be there, and be empty. */
export async function compileProject(project: Project, outdir: string): Promise<CompiledProgram> {
  const main = resolve(project.folder, project.entry);
  await checkEntry(main, project);
  const { build } = await import('esbuild');
  const found = new Set<string>();
  const programs = new Map([['main', main]]);
  for (const [name, path] of Object.entries(project.entries)) add(programs, name, resolve(project.folder, path));
  for (;;) {
    const entryPoints = [...programs].map(([out, path]) => ({ out, in: path }));
    const plugins = [optionalImports, companionsPlugin(found, project.folder)];
    const { metafile } = await build({
      ...settings,
      absWorkingDir: project.folder,
      outdir,
      entryPoints,
      plugins,
    }).catch((cause: BuildFailure) => refused(project, cause));
    const [more, files] = partition(found, programs);
    if (more.length === 0) {
      for (const file of files) {
        const copy = join(outdir, builtName(file, project.folder));
        await mkdir(dirname(copy), { recursive: true });
        await copyFile(file, copy);
      }
      await writeFile(join(outdir, 'package.json'), '{"type":"module"}\n');
      return {
        main: join(outdir, 'main.js'),
        inputs: Object.keys(metafile.inputs).map((path) => resolve(project.folder, path)),
        bytes: Object.values(metafile.outputs).reduce((sum, output) => sum + output.bytes, 0),
      };
    }
    for (const path of more) add(programs, basename(path, extname(path)), path);
  }
}

const settings = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  splitting: true,
  entryNames: '[name]',
  chunkNames: 'chunk-[hash]',
  metafile: true,
  conditions,
  // Names stay, for what an error says.
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  banner: { js: REQUIRE },
  logLevel: 'silent',
} satisfies BuildOptions;

/** What is loaded only if it is there, and isn't, stays outside. */
const optionalImports: Plugin = {
  name: 'optional-imports',
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, async ({ path, kind, pluginData, ...given }) => {
      if (kind !== 'dynamic-import' || pluginData === 'asked') return undefined;
      const { resolveDir, importer } = given;
      const { errors } = await build.resolve(path, { kind, resolveDir, importer, pluginData: 'asked' });
      return errors.length > 0 ? { path, external: true } : undefined;
    });
  },
};

/** Programs that aren't bundled yet, and files that are only read. */
function partition(found: ReadonlySet<string>, programs: ReadonlyMap<string, string>): [string[], string[]] {
  const known = new Set(programs.values());
  const all = [...found].toSorted();
  return [all.filter((path) => isProgram(path) && !known.has(path)), all.filter((path) => !isProgram(path))];
}

/** All lie in one folder, so that each finds the others where its source did: beside itself. */
function add(programs: Map<string, string>, name: string, path: string): void {
  const other = programs.get(name);
  if (other === undefined || other === path) {
    programs.set(name, path);
    return;
  }
  throw new CliError('KUR_CLI_BUNDLE', `two programs would be called ${name}.js: ${other} and ${path}`, {
    remedy: 'rename one of them',
  });
}

async function checkEntry(path: string, { entry, folder }: Project): Promise<void> {
  if ((await stat(path).catch(() => undefined))?.isFile()) return;
  throw new CliError('KUR_CLI_BUNDLE', `there is no ${entry} in ${folder}`, {
    remedy: 'name the program that runs the operator in package.json: "kurator": { "entry": "src/main.ts" }',
  });
}

function refused({ entry, folder }: Project, cause: BuildFailure): never {
  const [first] = cause.errors ?? [];
  const place = first?.location ? `${first.location.file}:${first.location.line}: ` : '';
  const isMissing = first?.text.startsWith('Could not resolve');
  throw new CliError('KUR_CLI_BUNDLE', `${entry} can't be bundled: ${place}${first?.text ?? cause.message}`, {
    remedy: isMissing ? `run npm install in ${folder}` : 'mend it; npx tsc --noEmit says more',
    cause,
  });
}
