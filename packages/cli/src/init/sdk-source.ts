/** Where a new project gets the packages of the SDK from: npm, or a clone or packed files on this machine. */
import { readFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CliError } from '@kurator/command';

/** What package.json says about the packages. */
export interface SdkSource {
  readonly sdk: string;
  readonly cli: string;
  readonly testenv: string;
  /** For packages that these need, where they are not to come from npm. */
  readonly overrides?: Readonly<Record<string, string>>;
}

/** @param path A clone of kurator, or a folder of what `npm pack` makes; npm unless given. */
export async function sdkSource(path: string | undefined): Promise<SdkSource> {
  if (path === undefined) {
    const range = `^${ownVersion()}`;
    return { sdk: range, cli: range, testenv: range };
  }
  const folder = resolve(path);
  return (await packed(folder)) ?? (await cloned(folder));
}

async function packed(folder: string): Promise<SdkSource | undefined> {
  const files = await readdir(folder).catch(() => [] as string[]);
  const named = files.flatMap((file) => {
    const name = /^kurator-(.+)-\d+\.\d+\.\d+.*\.tgz$/.exec(file)?.[1];
    return name ? [[`@kurator/${name}`, `file:${join(folder, file)}`] as const] : [];
  });
  if (named.length === 0) return undefined;
  const all = Object.fromEntries(named);
  const { '@kurator/sdk': sdk, '@kurator/cli': cli, '@kurator/testenv': testenv } = all;
  if (sdk && cli && testenv) return { sdk, cli, testenv, overrides: all };
  throw unusable(folder);
}

async function cloned(folder: string): Promise<SdkSource> {
  const at = (name: string) => join(folder, 'packages', name);
  const isThere = await stat(join(at('sdk'), 'package.json')).catch(() => undefined);
  if (!isThere) throw unusable(folder);
  return { sdk: `file:${at('sdk')}`, cli: `file:${at('cli')}`, testenv: `file:${at('testenv')}` };
}

function unusable(folder: string): CliError {
  return new CliError('KUR_CLI_USAGE', `--sdk ${folder} has neither packages/sdk nor packed packages`, {
    remedy: 'name a clone of kurator, or a folder with kurator-sdk-….tgz, kurator-cli-….tgz and kurator-testenv-….tgz',
  });
}

function ownVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
