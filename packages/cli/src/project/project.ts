/** An operator's project as the command finds it: a folder with a package.json, and a program that runs the operator. */
import { readFile, stat } from 'node:fs/promises';
import { join, posix, resolve } from 'node:path';
import { CliError } from '@kurator/command';

/** What is known of a project without running any of it. */
export interface Project {
  /** Absolute. */
  readonly folder: string;
  /** The package's name without its scope. */
  readonly name: string;
  readonly version: string;
  /** What the API groups of its kinds end with; undefined where package.json doesn't say. */
  readonly domain: string | undefined;
  /** The file that exports the operator, relative to the folder. */
  readonly operatorFile: string;
  /** The program that runs the operator, relative to the folder. */
  readonly entry: string;
  /** More programs to put beside it, by the name that they have there, for what can't be found by looking. */
  readonly entries: Readonly<Record<string, string>>;
  /** What its image is called unless told. */
  readonly image: string;
}

/** The part of a package.json that this command looks at. */
interface PackageJson {
  name?: unknown;
  version?: unknown;
  /** What can't be guessed. */
  kurator?: { domain?: unknown; operator?: unknown; entry?: unknown; entries?: unknown; image?: unknown };
}

/** Where the program is looked for. */
const ENTRIES = ['src/main.ts', 'src/main.js', 'main.ts', 'main.js', 'dist/main.js'];

export async function readProject(folder: string): Promise<Project> {
  const root = resolve(folder);
  const { name, version, kurator = {} } = await packageJson(root);
  const short = String(name ?? '').replace(/^@[^/]*\//, '');
  if (!/^[a-z0-9][a-z0-9._-]*$/.test(short)) {
    throw broken(root, `"name" in its package.json is ${JSON.stringify(name)}`, 'give it a name such as "my-operator"');
  }
  const tag = text(version) ?? '0.0.0';
  const image = text(kurator.image) ?? short;
  return {
    folder: root,
    name: short,
    version: tag,
    domain: text(kurator.domain),
    operatorFile: posix.normalize(text(kurator.operator) ?? 'src/operator.ts'),
    entry: await entryOf(root, kurator.entry),
    entries: entriesOf(root, kurator.entries ?? {}),
    // What comes after a plus sign in a version can't be in a tag.
    image: /:[^/]*$/.test(image) ? image : `${image}:${tag.replaceAll('+', '-')}`,
  };
}

async function packageJson(folder: string): Promise<PackageJson> {
  const path = join(folder, 'package.json');
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    throw broken(
      folder,
      'it has no package.json',
      'run this in an operator’s folder, or make one: kurator init',
      cause,
    );
  }
  try {
    return JSON.parse(text) as PackageJson;
  } catch (cause) {
    throw broken(folder, `its package.json is not JSON: ${(cause as Error).message}`, 'mend it', cause);
  }
}

async function entryOf(folder: string, given: unknown): Promise<string> {
  if (typeof given === 'string') return given;
  for (const candidate of ENTRIES) {
    if ((await stat(join(folder, candidate)).catch(() => undefined))?.isFile()) return candidate;
  }
  return 'src/main.ts';
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function entriesOf(folder: string, given: unknown): Readonly<Record<string, string>> {
  const isMap =
    typeof given === 'object' && given !== null && Object.values(given).every((path) => typeof path === 'string');
  if (isMap) return given as Record<string, string>;
  throw broken(folder, '"kurator.entries" in its package.json is no map', 'write { "worker": "src/worker.ts" }');
}

function broken(folder: string, why: string, remedy: string, cause?: unknown): CliError {
  return new CliError('KUR_CLI_PROJECT', `${folder} is not an operator's project: ${why}`, { remedy, cause });
}
