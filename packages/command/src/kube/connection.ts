/** The cluster that a command is about: how it is reached, and what is said when it can't be asked. */
import { type Client, ClientError, createClient, hasCode, loadConfig } from '@kurator/client';
import { CliError } from '../error.ts';

/** Which cluster, and which part of it. */
export interface ClusterOptions {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly context?: string;
  readonly kubeconfig?: string;
}

/** A cluster that can be asked. */
export interface Reached {
  readonly client: Client;
  /** The namespace that is meant; undefined for all. */
  readonly namespace: string | undefined;
}

/** Does something with the cluster that is meant, and lets go of it. What goes wrong is told with what helps. */
export async function inCluster<Result>(
  options: ClusterOptions,
  act: (reached: Reached) => Promise<Result>,
): Promise<Result> {
  const { kubeconfig, context, allNamespaces } = options;
  let client: Client | undefined;
  try {
    const config = await loadConfig({ ...(kubeconfig && { kubeconfig }), ...(context && { context }) });
    client = createClient(config);
    const namespace = allNamespaces ? undefined : (options.namespace ?? config.namespace ?? 'default');
    return await act({ client, namespace });
  } catch (error) {
    throw explained(error);
  } finally {
    await client?.[Symbol.asyncDispose]();
  }
}

const elsewhere = 'choose another cluster with --context or --kubeconfig';

/** The same with a remedy, where there is one. */
function explained(error: unknown): unknown {
  if (!(error instanceof ClientError)) return error;
  const { message, missingRule } = error;
  const told = (code: ConstructorParameters<typeof CliError>[0], what: string, remedy: string) =>
    new CliError(code, what, { remedy, cause: error });
  if (hasCode(error, 'KUR_CLIENT_KUBECONFIG')) {
    return told(
      'KUR_CLI_NO_SERVER',
      message,
      'name a kubeconfig with --kubeconfig, or make a cluster: kurator cluster up',
    );
  }
  if (hasCode(error, 'KUR_CLIENT_UNREACHABLE') || hasCode(error, 'KUR_CLIENT_TLS')) {
    return told('KUR_CLI_NO_SERVER', message, `see whether the cluster is up; or ${elsewhere}`);
  }
  if (hasCode(error, 'KUR_CLIENT_UNAUTHORIZED')) {
    return told('KUR_CLI_NOT_ALLOWED', message, `renew the credentials of the kubeconfig; or ${elsewhere}`);
  }
  if (hasCode(error, 'KUR_CLIENT_FORBIDDEN')) {
    const scope = missingRule?.namespace ? '' : ', or name a namespace with -n';
    return told('KUR_CLI_NOT_ALLOWED', message, `have a role with that rule bound to you${scope}`);
  }
  // An object that is not there is told by whoever looks for it; a kind that is not there comes here.
  if (hasCode(error, 'KUR_CLIENT_NOT_FOUND') || hasCode(error, 'KUR_CLIENT_UNKNOWN_KIND')) {
    const remedy = `install the healer (deploy/ has a chart and manifests); or ${elsewhere}`;
    return told('KUR_CLI_NO_HEALER', 'this cluster does not know Kurators: their definition is not installed', remedy);
  }
  return error;
}
