/** `kurator version` */
import { type Client, Deployment, hasCode, parseDuration } from '@kurator/client';
import { type Action, table } from '@kurator/command';
import { inCluster, isForPrograms, type OutputOptions, serialised } from '@kurator/command/kube';
import { FIELD_MANAGER } from '../deploy/inventory.ts';
import { ownVersion } from './own-version.ts';

/** As commander gives them. */
interface VersionOptions extends OutputOptions {
  client?: boolean;
  context?: string;
  kubeconfig?: string;
}

/** What is asked for and what is there; fields may be added. */
interface Versions {
  readonly client: { readonly version: string; readonly node: string; readonly platform: string };
  readonly server?: { readonly kubernetes: string; readonly address: string };
  readonly operators?: readonly DeployedOperator[];
}

interface DeployedOperator {
  readonly name: string;
  readonly namespace: string;
  /** Empty where its labels don't say. */
  readonly version: string;
  readonly image: string;
  readonly ready: string;
}

/** Nobody waits long to be told a version. */
const PATIENCE = parseDuration('5s');

export const version: Action<VersionOptions, []> = async ({ print, say, screen, signal }, options) => {
  const client = {
    version: ownVersion(),
    node: process.versions.node,
    platform: `${process.platform}/${process.arch}`,
  };
  const unasked: Versions = { client };
  const found = options.client
    ? unasked
    : await inCluster(options, async (reached) => ({ client, ...(await deployed(reached.client, signal)) })).catch(
        (error: unknown) => {
          signal.throwIfAborted();
          const { code = '', message } = error as Error & { code?: string };
          if (!unreached.has(code)) throw error;
          say(`No cluster answers: ${message}`);
          return unasked;
        },
      );
  print(isForPrograms(options) ? await serialised(found, options, screen) : versionText(found));
  return 0;
};

/** Where there is no cluster, or none that knows us, the command's own version is still an answer. */
const unreached = new Set(['KUR_CLI_NO_SERVER', 'KUR_CLI_NOT_ALLOWED', 'KUR_CLIENT_TIMEOUT']);

async function deployed(client: Client, signal: AbortSignal): Promise<Omit<Versions, 'client'>> {
  const options = { signal, timeout: PATIENCE, retries: 0 };
  const { gitVersion } = await client.raw<{ gitVersion: string }>('GET', '/version', options);
  const server = { kubernetes: gitVersion, address: client.config.server };
  try {
    const labelSelector = 'app.kubernetes.io/component=operator';
    const { items } = await client.list(Deployment, { labelSelector, ...options });
    return { server, operators: items.filter(isDeployed).map(operatorOf) };
  } catch (error) {
    // Who may not look everywhere still learns which Kubernetes it is.
    if (hasCode(error, 'KUR_CLIENT_FORBIDDEN')) return { server };
    throw error;
  }
}

/** By this command; or Kurator itself, which Helm may have put there. */
function isDeployed({ metadata: { managedFields = [], labels = {} } }: Deployment): boolean {
  const isOurs = managedFields.some(({ manager }) => manager === FIELD_MANAGER);
  return isOurs || labels['app.kubernetes.io/name'] === 'kurator';
}

function operatorOf({ metadata, spec, status }: Deployment): DeployedOperator {
  const { name, namespace = '', labels = {} } = metadata;
  return {
    name,
    namespace,
    version: labels['app.kubernetes.io/version'] ?? '',
    image: spec?.template.spec?.containers[0]?.image ?? '',
    ready: `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 1}`,
  };
}

/** Pure. */
export function versionText({ client, server, operators = [] }: Versions): string {
  const rows = operators.map(({ name, namespace, version, ready, image }) => [name, namespace, version, ready, image]);
  return [
    `kurator ${client.version} (Node ${client.node}, ${client.platform})`,
    ...(server ? [`Kubernetes ${server.kubernetes} at ${server.address}`] : []),
    ...(rows.length > 0 ? ['', table(['OPERATOR', 'NAMESPACE', 'VERSION', 'READY', 'IMAGE'], rows)] : []),
  ].join('\n');
}
