/** What `--values` and `--set` say of Kurator's settings, for the operator's description. */
import { isIP } from 'node:net';
import { DEFAULT_RESOURCES } from '@kurator/cli/toolchain';
import type { EnvVar, ResourceRequirements } from '@kurator/client';
import { CliError, readNamed } from '@kurator/command';
import { parse } from 'yaml';
import { settingValues, settingVariables } from './setting-values.ts';

/** As commander gives them. */
export interface SettingOptions {
  /** Files, as for Helm. */
  values?: string[];
  /** `kurator.limits.repairs=30` */
  set?: string[];
}

/** What is given, for the operator's description. */
interface Settings {
  readonly env: readonly EnvVar[];
  readonly resources?: ResourceRequirements;
}

/** Any value of the chart. */
type Value = unknown;
type Tree = { [key: string]: Value };

const known: Tree = { ...settingValues, resources: DEFAULT_RESOURCES };
const root = 'kurator';
/** A quantity may be a number in YAML. Kubernetes knows more kinds of them than we need defaults for. */
const open = /^kurator\.resources(\.(requests|limits)(\.[a-z0-9./-]+)?)?$/i;
const quantity = /^\d+(\.\d+)?([numkMGTPE]|[KMGTPE]i|e\d+)?$/;

/** Later ones win over earlier ones, and `--set` over files. Fails with the name of a key that is wrong. */
export async function settingsOf({ values = [], set = [] }: SettingOptions): Promise<Settings> {
  const given: Tree = {};
  for (const file of values) merge(given, await treeIn(file), '');
  for (const assignment of set) merge(given, assigned(assignment), '');
  const { allowAddresses, hostNetworkChecks, limits, resources } = (given[root] ?? {}) as {
    allowAddresses?: string[];
    hostNetworkChecks?: boolean;
    limits?: object;
    resources?: ResourceRequirements;
  };
  if (limits) await checkLimits(limits);
  for (const range of allowAddresses ?? []) checkRange(range);
  return {
    env: [
      ...(allowAddresses ? [{ name: settingVariables.allowAddresses, value: allowAddresses.join(',') }] : []),
      ...(hostNetworkChecks === undefined
        ? []
        : [{ name: settingVariables.hostNetworkChecks, value: String(hostNetworkChecks) }]),
      ...(limits ? [{ name: settingVariables.limits, value: JSON.stringify(limits) }] : []),
    ],
    ...(resources && { resources: withDefaults(resources) }),
  };
}

/** As Helm does it: what is not given stays. */
function withDefaults({ requests, limits }: ResourceRequirements): ResourceRequirements {
  return {
    requests: { ...DEFAULT_RESOURCES.requests, ...requests },
    limits: { ...DEFAULT_RESOURCES.limits, ...limits },
  };
}

async function treeIn(file: string): Promise<Tree> {
  try {
    return (parse(await readNamed('--values', file)) ?? {}) as Tree;
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw wrong(`--values ${file}`, `can't be read: ${(cause as Error).message}`, cause);
  }
}

/** `kurator.limits.repairs=30` as a tree. */
function assigned(text: string): Tree {
  const [key = '', ...rest] = text.split('=');
  if (rest.length === 0) throw wrong(key, 'has no value: write KEY=VALUE');
  const path = key.split('.');
  const leaf = path.reduce<Value>((at, part) => (at as Tree | undefined)?.[part], { [root]: known });
  const value = rest.join('=');
  const typed = Array.isArray(leaf) ? listIn(value) : (readers[typeof leaf]?.(value) ?? value);
  return path.reduceRight<Value>((inner, part) => ({ [part]: inner }), typed) as Tree;
}

/** As Helm has it too: `{a,b}`. */
function listIn(value: string): string[] {
  return value
    .replace(/^\{(.*)\}$/, '$1')
    .split(',')
    .filter(Boolean);
}

function numberIn(value: string): Value {
  return value.trim() === '' || Number.isNaN(Number(value)) ? value : Number(value);
}

/** By the type of what is there unless it is set; what makes no sense is left as it is, and refused for it. */
const readers: Readonly<Record<string, (value: string) => Value>> = {
  number: numberIn,
  boolean: (value) => ({ true: true, false: false })[value] ?? value,
};
const typeNames: Readonly<Record<string, string>> = { number: 'a number', boolean: 'true or false' };

/** Into the first, with each key and type held to what there is. */
function merge(into: Tree, tree: Value, path: string): void {
  if (!isTree(tree)) throw wrong(path || 'the values', 'must be a map');
  for (const [key, value] of Object.entries(tree)) {
    const here = path ? `${path}.${key}` : key;
    const like = at(here);
    if (like === undefined) throw wrong(here, `is not among what can be set: ${keysNear(path)}`);
    if (isTree(like)) {
      const inner = (into[key] ?? {}) as Tree;
      into[key] = inner;
      merge(inner, value, here);
    } else {
      into[key] = checked(here, value, like);
    }
  }
}

/** What is there unless it is set, by its whole key. */
function at(key: string): Value {
  const found = key.split('.').reduce<Value>((tree, part) => (tree as Tree | undefined)?.[part], { [root]: known });
  return found ?? (open.test(key) ? '' : undefined);
}

function checked(key: string, value: Value, like: Value): Value {
  if (open.test(key)) {
    if (quantity.test(String(value))) return String(value);
    throw wrong(key, `is ${JSON.stringify(value)}: it must be a quantity such as 100m or 256Mi`);
  }
  const isFit = Array.isArray(like)
    ? Array.isArray(value) && value.every((one) => typeof one === 'string')
    : typeof value === typeof like;
  if (isFit) return value;
  const wanted = Array.isArray(like) ? 'a list of texts' : (typeNames[typeof like] ?? 'a text');
  throw wrong(key, `is ${JSON.stringify(value)}: it must be ${wanted}, such as ${JSON.stringify(like)}`);
}

/** By the operator's own rules. */
async function checkLimits(limits: object): Promise<void> {
  const { limitsFrom } = await import('@kurator/operator-kurator');
  try {
    limitsFrom(JSON.stringify(limits));
  } catch (cause) {
    throw wrong(`${root}.limits`, (cause as Error).message, cause);
  }
}

function checkRange(range: string): void {
  const [address = '', prefix = '0', ...more] = range.split('/');
  const most = isIP(address) === 6 ? 128 : 32;
  const isFit = isIP(address) > 0 && more.length === 0 && /^\d+$/.test(prefix) && Number(prefix) <= most;
  if (!isFit)
    throw wrong(`${root}.allowAddresses`, `has "${range}", which is no address and no range such as 10.0.0.0/24`);
}

function isTree(value: Value): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function keysNear(path: string): string {
  const tree = path ? at(path) : { [root]: known };
  return Object.keys((tree ?? {}) as Tree)
    .map((key) => (path ? `${path}.${key}` : key))
    .join(', ');
}

function wrong(key: string, problem: string, cause?: unknown): CliError {
  return new CliError('KUR_CLI_USAGE', `${key} ${problem}`, {
    remedy:
      'see deploy/README.md: kurator install takes limits, allowAddresses, hostNetworkChecks and resources; the rest are its options',
    ...(cause === undefined ? {} : { cause }),
  });
}
