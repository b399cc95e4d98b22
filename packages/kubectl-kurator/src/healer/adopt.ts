/** `kurator adopt`: writes a first Kurator for a workload that is there, and never over one that is. */
import { Deployment, isAlreadyExists, type ResourceType, StatefulSet } from '@kurator/client';
import { type Action, CliError, type Screen } from '@kurator/command';
import { type ClusterOptions, inCluster, type Reached, resourceName, serialised } from '@kurator/command/kube';
import { adoption, type Workload } from './adoption.ts';
import { type Kurator, kurators } from './kinds.ts';
import { near } from './near.ts';

interface AdoptOptions extends ClusterOptions {
  readonly output?: 'json' | 'yaml' | 'name';
  readonly apply?: boolean;
}

const kinds: readonly (readonly [pattern: RegExp, kind: Workload['kind'], type: ResourceType<Workload>])[] = [
  [/^(deploy|deployments?)(\.apps)?$/i, 'Deployment', Deployment as ResourceType<Workload>],
  [/^(sts|statefulsets?)(\.apps)?$/i, 'StatefulSet', StatefulSet as ResourceType<Workload>],
];

export const adopt: Action<AdoptOptions, [string]> = async ({ print, say, screen, signal }, options, which) =>
  await inCluster(options, async (reached) => {
    const { client, namespace = 'default' } = reached;
    const [, name = ''] = which.split('/');
    const { kind, type } = kindIn(which);
    const workload = await client.find(type, { name, namespace }, { signal });
    if (!workload) throw await notThere(reached, kind, type, name, signal);
    const { manifest, notes } = adoption(kind, workload);
    for (const note of notes) say(note);
    const known = options.apply ? await lookedAfter(reached, kind, name, signal) : undefined;
    if (known) throw exists(known);
    if (options.output || !options.apply) print(await printed(manifest as unknown as Kurator, options, screen));
    if (!options.apply) return 0;
    const made = await client
      .create(kurators, manifest as unknown as Kurator, { fieldManager: 'kurator-cli', signal })
      .catch((error: unknown) => {
        throw isAlreadyExists(error) ? exists(name) : error;
      });
    say(
      `${namespace}/${made.metadata.name} is looked after from now on: kurator describe ${made.metadata.name} -n ${namespace}`,
    );
    return 0;
  });

async function printed(manifest: Kurator, { output = 'yaml' }: AdoptOptions, screen: Screen): Promise<string> {
  return output === 'name' ? resourceName(kurators, manifest) : await serialised(manifest, { output }, screen);
}

function kindIn(which: string): { kind: Workload['kind']; type: ResourceType<Workload> } {
  const [word = '', name, ...more] = which.split('/');
  const [, kind, type] = kinds.find(([pattern]) => pattern.test(word)) ?? [];
  if (kind && type && name && more.length === 0) return { kind, type };
  throw new CliError('KUR_CLI_USAGE', `"${which}" names no workload that can be adopted`, {
    remedy: 'write deployment/NAME or statefulset/NAME',
  });
}

async function notThere(
  { client, namespace = 'default' }: Reached,
  kind: string,
  type: ResourceType<Workload>,
  name: string,
  signal: AbortSignal,
): Promise<CliError> {
  const { items } = await client.list(type, { namespace, limit: 500, signal });
  const alike = near(
    name,
    items.flatMap(({ metadata }) => metadata.name ?? []),
  );
  const remedy = alike.length > 0 ? `did you mean ${alike.join(', or ')}?` : 'choose its namespace with -n';
  return new CliError('KUR_CLI_NOT_FOUND', `there is no ${kind} "${name}" in namespace ${namespace}`, { remedy });
}

/** The name of the Kurator that has this workload already, whatever it is called. */
async function lookedAfter(
  { client, namespace }: Reached,
  kind: string,
  name: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { items } = await client.list(kurators, { ...(namespace && { namespace }), signal });
  const has = ({ spec, metadata }: Kurator) =>
    (spec.targetRef?.kind === kind && spec.targetRef.name === name) || metadata.name === name;
  return items.find(has)?.metadata.name;
}

function exists(name: string): CliError {
  return new CliError('KUR_CLI_EXISTS', `Kurator ${name} is there already, and stays as it is`, {
    remedy: `change it with kubectl edit kurator ${name}; without --apply the one that would be written is only printed`,
  });
}
