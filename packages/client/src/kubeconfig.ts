import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import type { ClientConfig } from './config.ts';
import { ClientError } from './error.ts';

/** Which part of a kubeconfig is meant. */
export interface KubeconfigOptions {
  /** The context to use; `current-context` unless given. */
  context?: string;
}

type Section = Record<string, unknown>;

/**
 * Reads a kubeconfig file.
 *
 * @param path the file; `$KUBECONFIG` unless given, else `~/.kube/config`.
 */
export async function loadKubeconfig(path?: string, options: KubeconfigOptions = {}): Promise<ClientConfig> {
  const file = path ?? defaultPath();
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw wrong(`the kubeconfig ${file} can't be read: ${messageOf(cause)}`, cause);
  });
  return await kubeconfigFromYaml(text, { ...options, folder: dirname(resolve(file)), source: file });
}

/** Understands the text of a kubeconfig; files that it names are looked for below `folder` (the working folder unless given). */
export async function kubeconfigFromYaml(
  text: string,
  options: KubeconfigOptions & { folder?: string; source?: string } = {},
): Promise<ClientConfig> {
  const { folder = process.cwd(), source = 'kubeconfig' } = options;
  const root = asSection(parseYaml(text, source), source);
  const contextName = options.context ?? root['current-context'];
  if (typeof contextName !== 'string' || contextName === '') {
    throw wrong(`${source} has no current-context: name one of its contexts (${namesIn(root, 'contexts', source)})`);
  }
  const context = entry(root, 'contexts', 'context', contextName, source);
  const cluster = entry(root, 'clusters', 'cluster', nameIn(context, 'cluster', contextName, source), source);
  const user = context.user ? entry(root, 'users', 'user', nameIn(context, 'user', contextName, source), source) : {};
  refuseUnsupported(cluster, clusterFieldsNotSupported, source);
  refuseUnsupported(user, userFieldsNotSupported, source);

  const pem = (section: Section, field: string) => readPem(section, field, folder, source);
  const [ca, cert, key] = await Promise.all([
    pem(cluster, 'certificate-authority'),
    pem(user, 'client-certificate'),
    pem(user, 'client-key'),
  ]);
  if ((cert === undefined) !== (key === undefined)) {
    throw wrong(`${source}: client-certificate and client-key must be given together`);
  }
  return present({
    server: serverOf(cluster, source),
    ca,
    cert,
    key,
    token: textIn(user, 'token', source),
    tlsServerName: textIn(cluster, 'tls-server-name', source),
    insecureSkipTlsVerify: cluster['insecure-skip-tls-verify'] === true ? true : undefined,
    namespace: textIn(context, 'namespace', source),
  });
}

// Ignoring one of these would send requests as someone else, or to somewhere else, than the file says.
const clusterFieldsNotSupported = ['proxy-url'];
const userFieldsNotSupported = [
  'exec',
  'auth-provider',
  'tokenFile',
  'username',
  'password',
  'as',
  'as-uid',
  'as-groups',
  'as-user-extra',
];

function refuseUnsupported(section: Section, fields: readonly string[], source: string): void {
  const found = fields.find((field) => section[field] !== undefined && section[field] !== null);
  if (!found) return;
  throw new ClientError(
    'KUR_CLIENT_UNSUPPORTED',
    `${source} uses "${found}", which this client doesn't support yet: use a client certificate or a token`,
  );
}

function defaultPath(): string {
  const files = (process.env.KUBECONFIG ?? '').split(delimiter).filter((file) => file !== '');
  if (files.length > 1) {
    throw new ClientError(
      'KUR_CLIENT_UNSUPPORTED',
      "$KUBECONFIG names several files, which this client doesn't merge yet: name one file",
    );
  }
  return files[0] ?? join(homedir(), '.kube', 'config');
}

function parseYaml(text: string, source: string): unknown {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (!error) return document.toJS();
  // The parser's own message quotes the line that it stumbled on, which may hold a key or a token.
  const [position] = error.linePos ?? [];
  const where = position ? ` at line ${position.line}, column ${position.col}` : '';
  throw wrong(`${source} is not YAML: it can't be parsed${where}`);
}

function entry(root: Section, list: string, field: string, name: string, source: string): Section {
  const found = sectionsIn(root, list, source).find((candidate) => candidate.name === name);
  if (!found) throw wrong(`${source} has no ${field} "${name}": it has ${namesIn(root, list, source)}`);
  return asSection(found[field], `${source}: ${field} "${name}"`);
}

function sectionsIn(root: Section, list: string, source: string): Section[] {
  const found = root[list] ?? [];
  if (!Array.isArray(found)) throw wrong(`${source}: "${list}" must be a list`);
  return found.map((item) => asSection(item, `${source}: an item of "${list}"`));
}

function namesIn(root: Section, list: string, source: string): string {
  const names = sectionsIn(root, list, source).map((item) => String(item.name));
  return names.length === 0 ? 'none' : names.join(', ');
}

function nameIn(context: Section, field: string, contextName: string, source: string): string {
  const name = textIn(context, field, source);
  if (name === undefined) throw wrong(`${source}: context "${contextName}" has no ${field}`);
  return name;
}

function serverOf(cluster: Section, source: string): string {
  const server = textIn(cluster, 'server', source);
  if (server === undefined) throw wrong(`${source}: the cluster has no server`);
  if (!URL.canParse(server) || !/^https?:$/.test(new URL(server).protocol)) {
    throw wrong(`${source}: server "${server}" is not an http or https URL`);
  }
  return server;
}

/** `FIELD-data` (base64) wins over `FIELD` (a path), as in kubectl. */
async function readPem(section: Section, field: string, folder: string, source: string): Promise<string | undefined> {
  const data = textIn(section, `${field}-data`, source);
  if (data !== undefined) return Buffer.from(data, 'base64').toString('utf8');
  const path = textIn(section, field, source);
  if (path === undefined) return undefined;
  return await readFile(resolve(folder, path), 'utf8').catch((cause: unknown) => {
    throw wrong(`${source}: ${field} can't be read: ${messageOf(cause)}`, cause);
  });
}

function textIn(section: Section, field: string, source: string): string | undefined {
  const value = section[field];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw wrong(`${source}: "${field}" must be text`);
  return value;
}

function asSection(value: unknown, what: string): Section {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Section;
  throw wrong(`${what} must be a set of fields`);
}

function present(config: { [Field in keyof ClientConfig]: ClientConfig[Field] | undefined }): ClientConfig {
  return Object.fromEntries(
    Object.entries(config).filter(([, value]) => value !== undefined),
  ) as unknown as ClientConfig;
}

function wrong(message: string, cause?: unknown): ClientError {
  return new ClientError('KUR_CLIENT_KUBECONFIG', message, cause === undefined ? {} : { cause });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
