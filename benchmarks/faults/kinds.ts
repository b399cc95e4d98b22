/** What is done to a service of three, kind by kind. */
import { setTimeout as delay } from 'node:timers/promises';
import { Deployment, type Pod, runInPod } from '@kurator/sdk';
import { answering, needing } from '../../e2e/support/healer/services.ts';
import { type Arena, FAILURES, type Keeper, PERIOD_SECONDS, podsOf, type Served, startService } from './arena.ts';

/** A trial that has been set up. */
export interface Target {
  readonly service: string;
  /** All of its instances. */
  readonly pods: readonly Pod[];
  /** Those that are to fall ill. */
  readonly ill: readonly Pod[];
}

/** How a fault is undone by whoever made it. */
type Undo = () => Promise<void>;

export interface FaultKind {
  readonly name: string;
  /** As the table calls it. */
  readonly words: string;
  /** Whom it makes ill: whoever else is restarted or taken away was so without need. */
  readonly ill: 'one' | 'all' | 'nobody' | 'those on a node';
  /** What is served, if not three instances of the usual. What is needed for it is started, under the service's name and `-db`. */
  serve?(arena: Arena, service: string, keeper: Keeper): Promise<Served>;
  /** Where it does not end by the keeper's doing: when it is undone, in milliseconds. */
  readonly lasts?: number;
  /** What is done to one of two services is done to the other as well: so one keeper comes after the other. */
  readonly alone?: boolean;
  inject(arena: Arena, target: Target): Promise<Undo | undefined>;
}

/** It is ready, and a little later it is gone: so a rollout goes on to the end, and nobody is left. */
const crashesLater = answering.replace('exec httpd -f', 'httpd').concat(' && sleep 5 && exit 1');
const flapEvery = (FAILURES + 1) * PERIOD_SECONDS * 1000;

/** Done to each of those that are to fall ill. Nothing is to be undone: it is over with the pods. */
const toEach =
  (hurt: (arena: Arena, pod: Pod) => Promise<unknown>): FaultKind['inject'] =>
  async (arena, { ill }) => {
    await Promise.all(ill.map((pod) => hurt(arena, pod)));
    return undefined;
  };

export const faultKinds: readonly FaultKind[] = [
  {
    name: 'kill',
    words: 'one container killed',
    ill: 'one',
    inject: toEach(({ cluster }, pod) => cluster.faults.kill({ pod })),
  },
  {
    name: 'bad-revision',
    words: 'a new revision that crashes a little later',
    ill: 'all',
    // Else a quick rollout has all of them up for long enough before the first is gone.
    serve: async () => ({ kurator: { recovery: { provenAfter: '10s' } } }),
    async inject({ client }, { service }) {
      const containers = [{ name: 'main', command: ['sh', '-c', crashesLater] }];
      const patch = { spec: { template: { spec: { containers } } } };
      await client.patch(Deployment, { name: service, namespace: 'default' }, patch, { type: 'strategic' });
      return undefined;
    },
  },
  {
    name: 'hang',
    words: 'one instance hangs',
    ill: 'one',
    inject: toEach(({ cluster }, pod) => cluster.faults.freeze({ pod })),
  },
  {
    name: 'wrong-answers',
    words: 'one instance answers wrongly',
    ill: 'one',
    inject: toEach(({ client }, { metadata: { name, namespace = 'default' } }) =>
      runInPod(client, { name, namespace }, ['rm', '/www/index.html']),
    ),
  },
  {
    name: 'loss-one',
    words: '30 % of packets to one instance lost',
    ill: 'one',
    inject: toEach(({ cluster }, to) => cluster.faults.drop({ percent: 30, to })),
  },
  {
    name: 'loss-all',
    words: '30 % of packets to all lost, for 30 s',
    ill: 'nobody',
    lasts: 30_000,
    inject: async ({ cluster }, { pods }) => {
      const fault = await cluster.faults.drop({ percent: 30, to: pods });
      return () => fault.heal();
    },
  },
  {
    name: 'load',
    words: 'all CPU used, for 40 s',
    ill: 'nobody',
    lasts: 40_000,
    serve: async () => ({
      resources: { requests: { cpu: '50m' }, limits: { cpu: '100m' } },
      kurator: { scaling: { min: 3, max: 5, targets: [{ cpu: 60 }] } },
    }),
    inject: async ({ cluster }, { pods }) => {
      const faults = await Promise.all(pods.map((pod) => cluster.faults.burnCpu({ pod, cores: 1 })));
      return async () => void (await Promise.all(faults.map((fault) => fault.heal())));
    },
  },
  {
    name: 'dependency',
    words: 'what it depends on hangs',
    ill: 'nobody',
    async serve(arena, service, keeper) {
      const name = `${service}-db`;
      const { spec } = await startService(arena, name, keeper, { replicas: 1 });
      const script = needing(`http://${spec?.clusterIP}/`);
      return { script, kurator: { dependsOn: [name], coordination: { recoverWithin: '30s' } } };
    },
    inject: async ({ cluster, client }, { service }) => {
      const database = await podsOf(client, `${service}-db`);
      await Promise.all(database.map((pod) => cluster.faults.freeze({ pod })));
      return undefined;
    },
  },
  {
    name: 'node',
    words: 'a node dies',
    ill: 'those on a node',
    alone: true,
    inject: async ({ cluster }, { ill }) => {
      const fault = await cluster.faults.powerOff({ node: ill[0]?.spec?.nodeName ?? '' });
      return () => fault.heal();
    },
  },
  {
    name: 'flapping',
    words: 'ill and well by turns for another one’s fault, for 60 s',
    ill: 'nobody',
    lasts: 60_000,
    alone: true,
    serve: async ({ outside }) => ({ script: needing(outside.url) }),
    inject: async ({ outside }) => {
      const over = new AbortController();
      const flapping = (async () => {
        while (!over.signal.aborted) {
          outside.isWell = !outside.isWell;
          await delay(flapEvery, undefined, { signal: over.signal }).catch(() => {});
        }
        outside.isWell = true;
      })();
      return async () => {
        over.abort();
        await flapping;
      };
    },
  },
];
