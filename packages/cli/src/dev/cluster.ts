/** The cluster that an operator is developed against: the one of the current context, or one of its own. */
import { type Client, createClient, loadConfig } from '@kurator/client';
import type { ActionContext } from '@kurator/command';
import { inCluster } from '@kurator/command/kube';
import { createCluster } from '@kurator/testenv';
import { agreeToInstall } from '../cluster/agree-to-install.ts';

/** As commander gives them. */
export interface ClusterChoice {
  local?: boolean;
  nodes?: number;
  context?: string;
  kubeconfig?: string;
}

/** Where the operator runs against. */
export interface DevCluster {
  /** In words. */
  readonly title: string;
  /** What the operator's process is told. */
  readonly env: NodeJS.ProcessEnv;
  readonly client: Client;
  /** Takes down what was brought up for this. */
  end(): Promise<void>;
}

export async function devCluster(context: ActionContext, name: string, choice: ClusterChoice): Promise<DevCluster> {
  if (choice.local) return await localCluster(context, name, choice.nodes ?? 0);
  const { kubeconfig } = choice;
  const config = await inCluster(choice, async ({ client }) => {
    // What everybody may ask: whether somebody answers, and knows who we are.
    await client.discover('v1', 'Namespace', { signal: context.signal });
    return client.config;
  });
  const env = kubeconfig ? { ...process.env, KUBECONFIG: kubeconfig } : process.env;
  const client = createClient(config);
  return { title: config.server, env, client, end: () => client.close() };
}

async function localCluster({ reporter, signal }: ActionContext, name: string, nodes: number): Promise<DevCluster> {
  const title = `dev-${name}`.slice(0, 32).replace(/-+$/, '');
  // With controllers, so that children go with their owners.
  const install = nodes > 0 ? await agreeToInstall(undefined) : undefined;
  const { cluster, created } = await createCluster({
    name: title,
    nodes,
    install,
    controllers: true,
    reporter,
    signal,
  });
  const env = { ...process.env, KUBECONFIG: cluster.kubeconfig };
  const client = createClient(await loadConfig({ kubeconfig: cluster.kubeconfig }));
  return {
    title: `the local cluster "${title}"\n\n  export KUBECONFIG=${cluster.kubeconfig}\n`,
    env,
    client,
    end: async () => {
      await client.close();
      if (created) await cluster.down();
    },
  };
}
