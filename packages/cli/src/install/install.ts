/** `kurator install` */
import type { Deployment, EnvVar } from '@kurator/client';
import type { Action, ActionContext } from '../action.ts';
import { buildImage } from '../build/build.ts';
import { runningCluster } from '../cluster/named-cluster.ts';
import { confirm } from '../confirm.ts';
import { type DeployOptions, deployOperator } from '../deploy/deploy.ts';
import { describeProject } from '../deploy/describe-project.ts';
import { withContent } from '../deploy/image-content.ts';
import { planOf } from '../deploy/plan.ts';
import { planText } from '../deploy/plan-text.ts';
import { CliError } from '../error.ts';
import { inCluster } from '../healer/cluster.ts';
import { turnSwitch } from '../healer/switch.ts';
import { namespaceOf } from '../manifests/description.ts';
import { operatorManifests } from '../manifests/operator-manifests.ts';
import { healerFolder } from '../project/healer-folder.ts';
import { type Project, readProject } from '../project/project.ts';
import { pushTo } from '../push/push.ts';
import { planPlugin, putPlugin } from './plugin.ts';
import { standingOf } from './standing.ts';

/** As commander gives them. */
interface InstallOptions extends Omit<DeployOptions, 'force' | 'takeOver'> {
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
  const project = await readProject(healerFolder());
  const source = imageSource(project, options);
  const described = await describeProject(project.folder, { ...options, image: source.image }, signal);
  const plugin = options.plugin ? await planPlugin(options.pluginFolder) : undefined;
  return await inCluster(options, async ({ client }) => {
    const before = await standingOf(client, described, signal);
    const env = modeVariable(before, options);
    const description = { ...described, ...(env && { env: [env] }) };
    const known = await withContent(client, description, context);
    const steps = await planOf(client, operatorManifests(known), { takeOver: false, signal });
    print(`${before ? 'Upgrades' : 'Installs'} Kurator in the cluster at ${client.config.server}:\n`);
    print([source.text, ...switchText(before, options), ...(plugin ? [plugin.text] : [])].join('\n'));
    print(planText(steps));
    if (options.dryRun) return 0;
    if (steps.some(({ action }) => action !== 'keep') || plugin?.action === 'create') {
      await confirm(`Do this in the cluster at ${client.config.server}?`, options);
    }
    await source.provide(context);
    await deployOperator(client, await withContent(client, description, context), context, options);
    const wanted = wantedMode(options);
    if (before && wanted) print(await turnSwitch(client, wanted, 'kurator install', signal));
    if (plugin) await putPlugin(plugin);
    say(next(namespaceOf(description), env?.value));
    return 0;
  });
};

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

/** What the switch begins with. An upgrade leaves it as it is; what was there before there was a switch stays on. */
function modeVariable(before: Deployment | undefined, options: InstallOptions): EnvVar | undefined {
  if (!before) return { name: variable, value: wantedMode(options) ?? 'Observe' };
  const [container] = before.spec?.template.spec?.containers ?? [];
  return container?.env?.find(({ name }) => name === variable);
}

function switchText(before: Deployment | undefined, options: InstallOptions): string[] {
  const wanted = wantedMode(options);
  if (before) return wanted ? [`the switch of the cluster: ${wanted}`] : [];
  return wanted === 'On'
    ? ['the switch of the cluster: On, so it repairs from the first moment']
    : ['the switch of the cluster: Observe, so it only says what it would do'];
}

function next(namespace: string, mode: string | undefined): string {
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
