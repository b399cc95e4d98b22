/** `kurator tour`: a whole cluster, shown at work, in half a minute. */
import { type Cluster, type ClusterOptions, type CreatedCluster, createCluster } from '@kurator/testenv';
import { type Action, type ActionContext, announceCleanup } from '../action.ts';
import { duration } from '../terminal/amounts.ts';
import { showControlPlane } from './control-plane-tour.ts';
import { showNodes } from './node-tour.ts';
import type { Step } from './step.ts';

interface TourOptions {
  keep?: boolean;
  install: boolean;
}

const NAME = 'tour';

/** Errors that say that this machine can have no nodes, whatever is installed. */
const noNodes = new Set(['KUR_TESTENV_PLATFORM', 'KUR_TESTENV_NEEDS_ROOT', 'KUR_TESTENV_KERNEL']);

export const tour: Action<TourOptions, []> = async (context, { keep = false, install }) => {
  const { print, reporter, signal } = context;
  const started = Date.now();
  const step: Step = (text) => print(`[${duration(Date.now() - started).padStart(6)}] ${text}`);

  announceCleanup(context);
  step(`Bringing up a cluster called "${NAME}": a real control plane and one real node.`);
  reporter.progress('Starting', undefined);
  const { cluster, created } = await withNodesIfPossible({ install, detached: keep, reporter, signal }, step).catch(
    (error: unknown) => {
      if (signal.aborted) step(`Cleaned up: nothing of the cluster "${NAME}" is left.`);
      throw error;
    },
  );
  reporter.progress('Starting', 1);
  try {
    const show = cluster.config.nodes > 0 ? showNodes : showControlPlane;
    await show(cluster, step, context);
  } catch (error) {
    if (created) await takeDown(cluster, step);
    throw error;
  }
  if (!created || keep) sayHowToGoOn(cluster, context);
  else {
    await takeDown(cluster, step);
    print('\nTo keep the cluster and play with it: kurator tour --keep');
  }
  return 0;
};

async function withNodesIfPossible(options: ClusterOptions, step: Step): Promise<CreatedCluster> {
  const made = await createCluster({ ...options, name: NAME, nodes: 1 }).catch(
    async (error: Error & { code?: string }) => {
      if (!noNodes.has(error.code ?? '')) throw error;
      step(`A control plane alone, because ${error.message}.`);
      return await createCluster({ ...options, name: NAME, nodes: 0 });
    },
  );
  const { version, nodes } = made.cluster.config;
  step(`${made.created ? 'Up' : 'It is up already'}: Kubernetes ${version}, ${nodes > 0 ? 'one node' : 'no nodes'}.`);
  return made;
}

async function takeDown(cluster: Cluster, step: Step): Promise<void> {
  await cluster.down();
  step('The cluster is down, and nothing of it is left.');
}

function sayHowToGoOn({ name, kubeconfig, config }: Cluster, { print }: ActionContext): void {
  print(
    [
      '',
      'The cluster stays up. Go on with:',
      '',
      `  export KUBECONFIG=${kubeconfig}`,
      `  kubectl get ${config.nodes > 0 ? 'pods -o wide' : 'namespaces'}`,
      ...(config.nodes > 0
        ? ['  kubectl scale deployment hello --replicas=5', '  kubectl logs -l app=hello --prefix']
        : []),
      '',
      `  kurator cluster kubectl --name ${name} -- …    if this machine has no kubectl`,
      `  kurator cluster down --name ${name}             when you are done`,
    ].join('\n'),
  );
}
