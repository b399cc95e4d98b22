/** The file in which `docker login`, `podman login` and pull Secrets keep log-ins. Pure. */
import { RegistryError } from '../error.ts';
import type { RepositoryName } from '../image-name.ts';
import { isRecord, jsonIn } from '../json.ts';
import { type CredentialSource, firstOf, type RegistryCredentials } from './credentials.ts';

/** One log-in in the file; a field may be missing, or be something else altogether. */
interface Entry {
  readonly auth?: unknown;
  readonly username?: unknown;
  readonly password?: unknown;
  readonly identitytoken?: unknown;
  readonly registrytoken?: unknown;
}

/** What of the file is of interest, after {@link readDockerConfig}. */
export interface DockerConfig {
  readonly auths: Readonly<Record<string, Entry>>;
  readonly credHelpers: Readonly<Record<string, string>>;
  readonly credsStore: string | undefined;
}

/** Docker Hub's log-in is kept under a name of long ago. */
const HUB_KEY = 'https://index.docker.io/v1/';
const HUB_HOSTS = new Set(['docker.io', 'index.docker.io', 'registry-1.docker.io', 'registry.hub.docker.com']);
const HUB = 'docker.io';

/** @param where What the text came from, for the message if it is broken. */
export function readDockerConfig(text: string, where: string): DockerConfig {
  return configOf(readRecord(text, where), where);
}

function readRecord(text: string, where: string): Record<string, unknown> {
  const value = jsonIn(text);
  if (value === undefined) throw broken(where, 'is not JSON');
  if (!isRecord(value)) throw broken(where, 'is not a JSON object');
  return value;
}

function configOf({ auths = {}, credHelpers = {}, credsStore }: Record<string, unknown>, where: string): DockerConfig {
  if (!isRecord(auths) || !Object.values(auths).every(isRecord)) throw broken(where, 'has no objects in `auths`');
  if (!isRecord(credHelpers) || !Object.values(credHelpers).every((name) => typeof name === 'string')) {
    throw broken(where, 'has no texts in `credHelpers`');
  }
  return {
    auths: auths as Record<string, Entry>,
    credHelpers: credHelpers as Record<string, string>,
    credsStore: typeof credsStore === 'string' && credsStore !== '' ? credsStore : undefined,
  };
}

/** The log-in for a place, of all that the file itself has: the one with the longest path, an exact host before a pattern. */
export function credentialsIn({ auths }: DockerConfig, place: RepositoryName): RegistryCredentials | undefined {
  const fitting = Object.entries(auths)
    .flatMap(([key, entry]) => {
      const fit = fitOf(key, place);
      const credentials = fit === undefined ? undefined : fromEntry(entry);
      return fit === undefined || !credentials ? [] : [{ fit, credentials }];
    })
    .toSorted((a, b) => b.fit - a.fit);
  return fitting[0]?.credentials;
}

/** Which program keeps the log-in for a place, and the name it knows the registry by. */
export function programFor(
  { credHelpers, credsStore }: DockerConfig,
  { host }: RepositoryName,
): { readonly program: string; readonly key: string } | undefined {
  const key = host === HUB ? HUB_KEY : host;
  const program = credHelpers[key] ?? credHelpers[host] ?? credsStore;
  return program === undefined ? undefined : { program, key };
}

/**
 * The log-ins of pull Secrets, in their order: the text of `.dockerconfigjson` of a `kubernetes.io/dockerconfigjson`, or of
 * `.dockercfg` of the older kind, already decoded from base64. Programs that such a text names are never started: whoever may write a
 * Secret must not run anything here.
 */
export function pullSecretCredentials(...texts: readonly string[]): CredentialSource {
  const where = 'The pull Secret';
  const configs = texts.map((text) => {
    const content = readRecord(text, where);
    return configOf('auths' in content ? content : { auths: content }, where);
  });
  return firstOf(
    ...configs.map(
      (config): CredentialSource =>
        async (place) =>
          credentialsIn(config, place),
    ),
  );
}

/** How well a key fits a place; more is better, undefined is not at all. */
function fitOf(key: string, { host, repository }: RepositoryName): number | undefined {
  const plain = key.replace(/^https?:\/\//, '').replace(/\/+$/, '');
  const slash = plain.indexOf('/');
  const keyHost = slash < 0 ? plain : plain.slice(0, slash);
  const path = (slash < 0 ? '' : plain.slice(slash + 1)).replace(/^v[12]$/, '');
  const isExact = keyHost === host || (host === HUB && HUB_HOSTS.has(keyHost));
  if (!isExact && !isPatternOf(keyHost, host)) return undefined;
  if (path !== '' && repository !== path && !repository.startsWith(`${path}/`)) return undefined;
  return path.length * 2 + (isExact ? 1 : 0);
}

/** As the kubelet reads it: `*.example.com` fits `a.example.com`, part by part; a port must be the same. */
function isPatternOf(pattern: string, host: string): boolean {
  if (!pattern.includes('*')) return false;
  const [patternParts, parts] = [pattern.split('.'), host.split('.')];
  return patternParts.length === parts.length && patternParts.every((part, at) => isPartOf(part, parts[at] ?? ''));
}

function isPartOf(pattern: string, part: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === part;
  const last = rest.pop() ?? '';
  if (part.length < first.length + last.length || !part.startsWith(first) || !part.endsWith(last)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = part.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= part.length - last.length;
}

function fromEntry(entry: Entry): RegistryCredentials | undefined {
  const { registrytoken, identitytoken, username, password } = entry;
  if (isText(registrytoken)) return { bearerToken: registrytoken };
  if (isText(identitytoken)) return { identityToken: identitytoken };
  if (isText(username) && isText(password)) return { username, password };
  const decoded = isText(entry.auth) ? Buffer.from(entry.auth, 'base64').toString('utf8') : '';
  const colon = decoded.indexOf(':');
  // Docker pads the text with zero bytes.
  return colon > 0
    ? { username: decoded.slice(0, colon), password: decoded.slice(colon + 1).replace(/\0+$/, '') }
    : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function broken(where: string, how: string): RegistryError {
  return new RegistryError('KUR_REGISTRY_CREDENTIALS', `${where} ${how}.`, { remedy: 'Mend it, or log in anew.' });
}
