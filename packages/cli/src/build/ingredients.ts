/** What an image is made of: packages of npm by their files, and the Node runtime with the libraries below it. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Ingredient } from './sbom.ts';

const run = promisify(execFile);

/** The packages that files belong to, each once. The project's own is not among them. */
export async function npmPackages(files: readonly string[], project: string): Promise<Ingredient[]> {
  const folders = new Map<string, Promise<Found | undefined>>();
  const found = await Promise.all(files.map((file) => packageAbove(dirname(file), folders)));
  const others = found.filter((each) => each !== undefined && each.folder !== project) as Found[];
  const unique = new Map(others.map(({ ingredient }) => [`${ingredient.name}@${ingredient.version}`, ingredient]));
  return [...unique.values()];
}

interface Found {
  readonly folder: string;
  readonly ingredient: Ingredient;
}

async function packageAbove(
  folder: string,
  known: Map<string, Promise<Found | undefined>>,
): Promise<Found | undefined> {
  const before = known.get(folder);
  if (before !== undefined) return await before;
  const looking = packageIn(folder).then(async (found) => {
    const parent = dirname(folder);
    return found ?? (parent === folder ? undefined : await packageAbove(parent, known));
  });
  known.set(folder, looking);
  return await looking;
}

/** Some packages have more of these files inside, without a name, to say what sort of modules a folder has. */
async function packageIn(folder: string): Promise<Found | undefined> {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { name, version, license } = JSON.parse(text) as { name?: string; version?: string; license?: unknown };
  if (!name || !version) return undefined;
  const purl = `pkg:npm/${name.replace(/^@/, '%40')}@${version}`;
  return { folder, ingredient: { name, version, license: typeof license === 'string' ? license : undefined, purl } };
}

/** The Node that runs this, or the one at a path, with what it is built of and linked with. */
export async function runtimeIngredients(node: string, files: readonly string[]): Promise<Ingredient[]> {
  const { stdout } = await run(node, ['-p', 'JSON.stringify(process.versions)']);
  const { node: version, ...parts } = JSON.parse(stdout) as Record<string, string>;
  const libraries = await Promise.all(files.map(libraryOf));
  const unique = new Map(libraries.map((library) => [`${library.name}@${library.version}`, library]));
  return [
    { name: 'node', version, license: 'MIT', purl: `pkg:generic/node@${version}` },
    // Interface numbers, not parts.
    ...Object.entries(parts)
      .filter(([name]) => name !== 'modules' && name !== 'napi')
      .map(([name, version]) => ({ name: `node/${name}`, version })),
    ...unique.values(),
  ];
}

/** Written when packages are installed, so that no package has it in its list. */
const MADE_BY_PACKAGES: Readonly<Record<string, string>> = {
  '/etc/ssl/certs/ca-certificates.crt': 'ca-certificates',
};

/** By Debian's own records, where there are any. */
async function libraryOf(file: string): Promise<Ingredient> {
  for (const path of [file, file.replace(/^\/usr/, ''), `/usr${file}`]) {
    const owner = await run('dpkg-query', ['--search', path]).catch(() => undefined);
    const name = MADE_BY_PACKAGES[file] ?? /^([^:\s]+)/.exec(owner?.stdout ?? '')?.[1];
    if (!name) continue;
    const version = await debianVersion(name);
    return { name, version, purl: `pkg:deb/debian/${name}@${encodeURIComponent(version)}` };
  }
  return { name: basename(file), version: undefined };
}

async function debianVersion(name: string): Promise<string> {
  const { stdout } = await run('dpkg-query', ['--status', name]);
  return /^Version: (.*)$/m.exec(stdout)?.[1] ?? '';
}
