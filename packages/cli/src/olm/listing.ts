/** What a catalogue of operators tells people of this one: from the project's package.json. */
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { CliError } from '@kurator/command';
import {
  type CapabilityLevel,
  capabilityLevels,
  type InstallModeType,
  installModeTypes,
} from './cluster-service-version.ts';
import { titleOf } from './descriptors.ts';

/** A person or a company. */
export interface Contact {
  readonly name: string;
  readonly email?: string;
  readonly url?: string;
}

/** Everything that is shown of an operator before anybody installs it. */
export interface Listing {
  readonly displayName: string;
  /** One sentence. */
  readonly summary: string;
  /** Markdown. */
  readonly description: string;
  readonly capability: CapabilityLevel;
  readonly categories: readonly string[];
  readonly keywords: readonly string[];
  readonly provider: Contact;
  readonly maintainers: readonly Contact[];
  readonly links: readonly { name: string; url: string }[];
  readonly icon: { readonly base64data: string; readonly mediatype: string };
  readonly maturity: string;
  readonly minKubeVersion: string | undefined;
  readonly replaces: string | undefined;
  readonly repository: string | undefined;
  readonly channels: readonly string[];
  readonly defaultChannel: string;
  readonly installModes: readonly InstallModeType[];
}

/** The section `kurator.bundle` of a package.json; all of it may be left out. */
interface BundleSection {
  displayName?: string;
  /** A Markdown file; README.md unless given. */
  description?: string;
  capability?: CapabilityLevel;
  categories?: string[];
  /** An SVG, PNG, JPEG or GIF file. */
  icon?: string;
  provider?: Contact;
  maturity?: string;
  minKubeVersion?: string;
  replaces?: string;
  channels?: string[];
  defaultChannel?: string;
  installModes?: InstallModeType[];
}

interface PackageJson {
  description?: string;
  author?: string | Contact;
  maintainers?: (string | Contact)[];
  keywords?: string[];
  homepage?: string;
  repository?: string | { url?: string };
  kurator?: { bundle?: BundleSection };
}

const mediaTypes: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
};

/** Reads what the project says of itself; what it doesn't say has a default, or is left for `bundle validate` to ask for. */
export async function readListing(folder: string, name: string): Promise<Listing> {
  const found = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as PackageJson;
  const bundle = found.kurator?.bundle ?? {};
  const author = contactOf(found.author);
  const repository = urlOf(found.repository);
  const channels = bundle.channels ?? ['stable'];
  return {
    displayName: bundle.displayName ?? titleOf(name.replaceAll('-', ' ')),
    summary: found.description ?? '',
    description: (await textOf(folder, bundle.description)) ?? found.description ?? '',
    capability: oneOf(bundle.capability ?? 'Basic Install', capabilityLevels, 'capability'),
    categories: bundle.categories ?? [],
    keywords: found.keywords ?? [],
    provider: bundle.provider ?? author ?? { name: '' },
    maintainers: (found.maintainers ?? [])
      .map(contactOf)
      .concat(author)
      .filter((one) => one?.email) as Contact[],
    links: [
      ...(found.homepage ? [{ name: 'Home page', url: found.homepage }] : []),
      ...(repository ? [{ name: 'Source code', url: repository }] : []),
    ],
    icon: await iconOf(folder, bundle.icon),
    maturity: bundle.maturity ?? 'alpha',
    minKubeVersion: bundle.minKubeVersion,
    replaces: bundle.replaces,
    repository,
    channels,
    defaultChannel: bundle.defaultChannel ?? channels[0] ?? 'stable',
    installModes: (bundle.installModes ?? installModeTypes).map((mode) =>
      oneOf(mode, installModeTypes, 'installModes'),
    ),
  };
}

function oneOf<T extends string>(value: T, known: readonly T[], field: string): T {
  if (known.includes(value)) return value;
  throw new CliError('KUR_CLI_BUNDLE', `kurator.bundle.${field} in package.json is "${value}"`, {
    remedy: `use one of ${known.join(', ')}`,
  });
}

async function textOf(folder: string, file: string | undefined): Promise<string | undefined> {
  try {
    return await readFile(join(folder, file ?? 'README.md'), 'utf8');
  } catch (cause) {
    if (file === undefined) return undefined;
    throw unreadable('description', file, cause);
  }
}

async function iconOf(folder: string, file: string | undefined): Promise<Listing['icon']> {
  if (file === undefined)
    return { base64data: Buffer.from(defaultIcon).toString('base64'), mediatype: 'image/svg+xml' };
  const mediatype = mediaTypes[extname(file).toLowerCase()];
  if (!mediatype) {
    const remedy = `use one of ${Object.keys(mediaTypes).join(', ')}`;
    throw new CliError('KUR_CLI_BUNDLE', `kurator.bundle.icon "${file}" is no picture`, { remedy });
  }
  try {
    return { base64data: (await readFile(join(folder, file))).toString('base64'), mediatype };
  } catch (cause) {
    throw unreadable('icon', file, cause);
  }
}

function unreadable(field: string, file: string, cause: unknown): CliError {
  return new CliError('KUR_CLI_BUNDLE', `kurator.bundle.${field} names ${file}, which can't be read`, {
    remedy: 'give a path below the project’s folder',
    cause,
  });
}

/** npm writes people as `Ada Lovelace <ada@example.com> (https://example.com)`. */
function contactOf(given: string | Contact | undefined): Contact | undefined {
  if (given === undefined || typeof given === 'object') return given;
  const [, name = '', email, url] = /^([^<(]*)(?:<([^>]*)>)?\s*(?:\(([^)]*)\))?/.exec(given) ?? [];
  if (!name.trim()) return undefined;
  return { name: name.trim(), ...(email ? { email } : {}), ...(url ? { url } : {}) };
}

function urlOf(repository: PackageJson['repository']): string | undefined {
  const url = typeof repository === 'string' ? repository : repository?.url;
  return url?.replace(/^git\+/, '').replace(/\.git$/, '');
}

/** For operators without a picture of their own: a ring that closes itself. */
export const defaultIcon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64">
  <rect width="64" height="64" rx="14" fill="#10312b"/>
  <path d="M46 20a18 18 0 1 0 4 16" fill="none" stroke="#5ad1a5" stroke-width="6" stroke-linecap="round"/>
  <path d="M48 10v12H36" fill="none" stroke="#5ad1a5" stroke-width="6" stroke-linecap="round" stroke-linejoin="round"/>
  <circle cx="32" cy="32" r="6" fill="#fff"/>
</svg>
`;
