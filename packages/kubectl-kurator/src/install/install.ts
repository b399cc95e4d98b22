/** `kurator install` */

import {
  buildImage,
  checkPlan,
  type DeployOptions,
  deployOperator,
  describeProject,
  namespaceOf,
  type OperatorDescription,
  type Project,
  planDeployment,
  planText,
  pushTo,
  readProject,
  runningCluster,
  withContent,
} from '@kurator/cli/toolchain';
import type { Client, Deployment } from '@kurator/client';
import { type Action, type ActionContext, CliError, confirm } from '@kurator/command';
import { inCluster } from '@kurator/command/kube';
import { readSwitch, turnSwitch } from '../healer/switch.ts';
import { healerFolder } from './healer-folder.ts';
import { planPlugin, putPlugin } from './plugin.ts';
import { type SettingOptions, settingsOf } from './settings.ts';
import { elsewhereOf, refuseHelms, standingOf } from './standing.ts';
import { planSwitch } from './switch-plan.ts';

/** As commander gives them. */
interface InstallOptions extends DeployOptions, SettingOptions {
  registry?: string;
  load?: string | true;
  insecure?: boolean;
  observe?: boolean;
  on?: boolean;
  plugin: boolean;
  pluginFolder?: string;
  yes?: boolean;
}

export const install: Action<InstallOptions, []> = async (context, options) => {
  const { print, say, signal } = context;
  const settings = await settingsOf(options);
  const project = await readProject(healerFolder());
  const source = imageSource(project, options);
  const described = await describeProject(project.folder, { ...options, image: source.image }, signal);
  const plugin = options.plugin ? await planPlugin(options.pluginFolder) : undefined;
  return await inCluster(options, async ({ client }) => {
    const plan = await survey(client, { ...described, ...settings }, context, options);
    const { description, steps, turn } = plan;
    print(`${plan.isThere ? 'Upgrades' : 'Installs'} Kurator in the cluster at ${client.config.server}:\n`);
    print([source.text, turn.text, ...(plugin ? [plugin.text] : [])].join('\n'));
    print(planText(steps));
    // Before an image is built for nothing.
    checkPlan(steps, description, options, context);
    if (options.dryRun) return 0;
    const changes = [steps.some(({ action }) => action !== 'keep'), plugin?.action === 'create', turn.to !== undefined];
    if (changes.includes(true)) await confirm(`Do this in the cluster at ${client.config.server}?`, options);
    await source.provide(context);
    const turned = async () => {
      if (turn.to) print(await turnSwitch(client, turn.to, 'kurator install', signal));
    };
    if (turn.isFirst) await turned();
    await deployOperator(client, await withContent(client, description, context), context, options);
    if (!turn.isFirst) await turned();
    if (plugin) await putPlugin(plugin);
    say(next(namespaceOf(description), turn.mode));
    return 0;
  });
};

/** What is there, and what would be done. */
async function survey(client: Client, described: OperatorDescription, context: ActionContext, options: InstallOptions) {
  const { signal } = context;
  const { forceConflicts = false } = options;
  const before = await standingOf(client, described, signal);
  for (const other of (await elsewhereOf(client, described, signal)) ?? []) refuseHelms(other);
  const live = await readSwitch(client, signal);
  const turn = planSwitch({ wanted: wantedMode(options), live, before: before && { first: firstMode(before) } });
  const first = turn.first === undefined ? [] : [{ name: variable, value: turn.first }];
  const description = { ...described, env: [...first, ...(described.env ?? [])] };
  const known = await withContent(client, description, context);
  const { steps, removals } = await planDeployment(client, known, { forceConflicts, signal });
  return { isThere: before !== undefined, description, turn, steps: [...steps, ...removals] };
}

/** Where the nodes get the image from. */
interface ImageSource {
  readonly image: string;
  readonly text: string;
  provide(context: ActionContext): Promise<void>;
}

function imageSource(project: Project, options: InstallOptions): ImageSource {
  const { registry, load, image, insecure = false } = options;
  const given = [registry, load, image].filter((one) => one !== undefined);
  if (given.length !== 1) {
    const message = given.length === 0 ? 'nobody says where the nodes get the image from' : 'the image has two sources';
    throw new CliError('KUR_CLI_USAGE', message, {
      remedy: 'give one of --registry REGISTRY/TEAM, --image NAME, or --load for a cluster of this machine',
    });
  }
  if (image) return { image, text: `the image ${image}, as it is`, provide: async () => {} };
  const base = project.image.slice(project.image.lastIndexOf('/') + 1);
  const name = registry ? `${registry.replace(/\/$/, '')}/${base}` : base;
  return {
    image: name,
    text: registry
      ? `the image ${name}: is built, and pushed`
      : `the image ${name}: is built, and loaded into the nodes`,
    async provide(context) {
      const cluster = load ? await runningCluster(load === true ? {} : { name: load }) : undefined;
      const built = await buildImage(project, { tag: name }, context);
      if (cluster) await cluster.load(built.path);
      else await pushTo(built.path, name, { insecure, sbom: built.sbom }, context);
    },
  };
}

function wantedMode({ on, observe }: InstallOptions): 'On' | 'Observe' | undefined {
  if (on) return 'On';
  return observe ? 'Observe' : undefined;
}

const variable = 'KURATOR_MODE';

/** What the switch began with; an upgrade leaves that as it is. */
function firstMode({ spec }: Deployment): string | undefined {
  const [container] = spec?.template.spec?.containers ?? [];
  return container?.env?.find(({ name }) => name === variable)?.value;
}

function next(namespace: string, mode: string): string {
  return [
    'What next:',
    '  kurator adopt deployment/web --apply    look after a first service',
    '  kurator get -A                          how services are',
    ...(mode === 'Observe' ? ['  kurator report -A                       what would have been done'] : []),
    ...(mode === 'Observe' ? ['  kurator resume --everything             have it done'] : []),
    '  kurator pause --everything              stop it at once',
    `  kubectl logs -n ${namespace} deployment/kurator`,
  ].join('\n');
}
