import { resolve } from 'node:path';
import type { ExecPlugin } from '../../config.ts';
import { present } from './present.ts';
import { flagIn, type Section, sectionIn, sectionsIn, textIn, textsIn, wrong } from './section.ts';

const apiVersions: readonly ExecPlugin['apiVersion'][] = [
  'client.authentication.k8s.io/v1',
  'client.authentication.k8s.io/v1beta1',
];
const interactiveModes: readonly NonNullable<ExecPlugin['interactiveMode']>[] = ['Never', 'IfAvailable', 'Always'];

/** The credential plugin that a user's `exec` describes. */
export function execPluginIn(user: Section, cluster: Section): ExecPlugin | undefined {
  const exec = sectionIn(user, 'exec');
  if (!exec) return undefined;
  const command = textIn(exec, 'command');
  if (command === undefined) throw wrong(`${exec.source}: "exec" has no command`);
  return present<ExecPlugin>({
    apiVersion: oneOf(exec, 'apiVersion', apiVersions) ?? missing(exec, 'apiVersion', apiVersions),
    // A bare name is looked for in $PATH; a relative path starts at the kubeconfig, like every other path in it.
    command: /[/\\]/.test(command) ? resolve(exec.folder, command) : command,
    args: textsIn(exec, 'args'),
    env: environmentIn(exec),
    installHint: textIn(exec, 'installHint')?.trim(),
    interactiveMode: oneOf(exec, 'interactiveMode', interactiveModes),
    provideClusterInfo: flagIn(exec, 'provideClusterInfo'),
    clusterConfig: extensionIn(cluster),
  });
}

function environmentIn(exec: Section): Record<string, string> | undefined {
  const variables = sectionsIn(exec, 'env').map((item) => [textIn(item, 'name') ?? '', textIn(item, 'value') ?? '']);
  return variables.length === 0 ? undefined : Object.fromEntries(variables);
}

function extensionIn(cluster: Section): unknown {
  const extensions = sectionsIn(cluster, 'extensions');
  return extensions.find(({ fields }) => fields.name === 'client.authentication.k8s.io/exec')?.fields.extension;
}

function oneOf<T extends string>(section: Section, field: string, allowed: readonly T[]): T | undefined {
  const text = textIn(section, field);
  if (text === undefined) return undefined;
  return allowed.find((candidate) => candidate === text) ?? missing(section, field, allowed, text);
}

function missing(section: Section, field: string, allowed: readonly string[], text = ''): never {
  throw wrong(`${section.source}: exec's "${field}" is "${text}": it must be ${allowed.join(' or ')}`);
}
