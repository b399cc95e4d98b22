import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { ClientConfig } from './config.ts';
import { clusterConfig } from './internal/kubeconfig/cluster-section.ts';
import { entryOf, type Merged, merge, namesOf, parseFile } from './internal/kubeconfig/merged.ts';
import { type Section, textIn, wrong } from './internal/kubeconfig/section.ts';
import { userConfig } from './internal/kubeconfig/user-section.ts';

/** Which part of a kubeconfig is meant. */
export interface KubeconfigOptions {
  /** The context to use; `current-context` unless given. */
  context?: string;
}

/**
 * Reads a kubeconfig file, or several as one: what is said first holds.
 *
 * @param path the file, or several as in `$KUBECONFIG` (of several, those that don't exist are left out);
 *   `$KUBECONFIG` unless given, else `~/.kube/config`.
 */
export async function loadKubeconfig(path?: string, options: KubeconfigOptions = {}): Promise<ClientConfig> {
  const paths = (path ?? kubeconfigVariable() ?? homeKubeconfig()).split(delimiter).filter((file) => file !== '');
  const several = paths.length > 1;
  const files = await Promise.all(paths.map((file) => readKubeconfig(file, several)));
  const found = files.filter((file) => file !== undefined);
  if (found.length === 0) throw wrong(`none of these kubeconfig files exists: ${paths.join(', ') || '(none named)'}`);
  return await select(merge(found), options);
}

/** Understands the text of a kubeconfig; files that it names are looked for below `folder` (the working folder unless given). */
export async function kubeconfigFromYaml(
  text: string,
  options: KubeconfigOptions & { folder?: string; source?: string } = {},
): Promise<ClientConfig> {
  const { folder = process.cwd(), source = 'kubeconfig' } = options;
  return await select(merge([await parseFile(text, source, folder)]), options);
}

/** What `$KUBECONFIG` says, where it says something. */
export function kubeconfigVariable(): string | undefined {
  return process.env.KUBECONFIG || undefined;
}

/** Where kubectl keeps its kubeconfig. */
export function homeKubeconfig(): string {
  return join(homedir(), '.kube', 'config');
}

async function readKubeconfig(file: string, mayBeMissing: boolean): Promise<Section | undefined> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (mayBeMissing && cause.code === 'ENOENT') return undefined;
    throw wrong(`the kubeconfig ${file} can't be read: ${cause.message}`, cause);
  });
  return text === undefined ? undefined : await parseFile(text, file, dirname(resolve(file)));
}

async function select(merged: Merged, options: KubeconfigOptions): Promise<ClientConfig> {
  const { source, entries } = merged;
  const name = options.context ?? merged.currentContext;
  if (!name) throw wrong(`${source} has no current-context: name one of its contexts (${namesOf(entries.context)})`);
  const context = entryOf(merged, 'context', name);
  const clusterName = textIn(context, 'cluster');
  if (clusterName === undefined) throw wrong(`${context.source}: context "${name}" has no cluster`);
  const userName = textIn(context, 'user');
  const cluster = entryOf(merged, 'cluster', clusterName);
  const user = userName === undefined ? { ...context, fields: {} } : entryOf(merged, 'user', userName);
  const namespace = textIn(context, 'namespace');
  return {
    ...(await clusterConfig(cluster)),
    ...(await userConfig(user, cluster)),
    ...(namespace === undefined ? {} : { namespace }),
  };
}
