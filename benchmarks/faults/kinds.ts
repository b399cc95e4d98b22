/** What is done to a service of three, kind by kind. */
import { Deployment, type Pod, runInPod } from '@kurator/sdk';
import { answering } from '../../e2e/support/healer/services.ts';
import type { Arena } from './arena.ts';

export interface FaultKind {
  readonly name: string;
  /** Whose fault it is: one instance, or the revision, and then nobody is well. */
  readonly of: 'instance' | 'revision';
  inject(arena: Arena, service: string, ill: Pod): Promise<void>;
}

/** It is ready, and a little later it is gone: so a rollout goes on to the end, and nobody is left. */
const crashesLater = answering.replace('exec httpd -f', 'httpd').concat(' && sleep 5 && exit 1');

export const faultKinds: readonly FaultKind[] = [
  { name: 'crash', of: 'instance', inject: async ({ cluster }, _, pod) => void (await cluster.faults.kill({ pod })) },
  { name: 'hang', of: 'instance', inject: async ({ cluster }, _, pod) => void (await cluster.faults.freeze({ pod })) },
  {
    name: 'wrong-answers',
    of: 'instance',
    async inject({ client }, _, { metadata }) {
      const { name, namespace = 'default' } = metadata;
      await runInPod(client, { name, namespace }, ['rm', '/www/index.html']);
    },
  },
  {
    name: 'loss-30-percent',
    of: 'instance',
    inject: async ({ cluster }, _, pod) => void (await cluster.faults.drop({ percent: 30, to: pod })),
  },
  {
    name: 'bad-revision',
    of: 'revision',
    async inject({ client }, service) {
      const containers = [{ name: 'main', command: ['sh', '-c', crashesLater] }];
      const patch = { spec: { template: { spec: { containers } } } };
      await client.patch(Deployment, { name: service, namespace: 'default' }, patch, { type: 'strategic' });
    },
  },
];
