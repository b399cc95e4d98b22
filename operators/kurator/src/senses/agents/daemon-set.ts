/** What the agents are in a cluster: a DaemonSet without rights. */
import type { Container, DaemonSet, Manifest, Volume } from '@kurator/sdk';
import { agentPort, keyFileVariable } from './agent-program.ts';
import { agentLabels } from './node-agents.ts';

/** What differs from one cluster to the next. */
export interface AgentSettings {
  /** The operator's. */
  readonly namespace: string;
  /** The operator's. */
  readonly image: string;
  /** A Secret with the key, under `key`; `kurator-agent` unless given. */
  readonly secret?: string;
}

const name = 'kurator-node-agent';
const folder = '/etc/kurator-agent';
const volume = 'agent-key';

/** What a pod needs to have the key, the operator's and the agents' alike. */
export function agentKey(secret = 'kurator-agent'): {
  readonly volumes: Volume[];
  readonly container: Pick<Container, 'env' | 'volumeMounts'>;
} {
  return {
    volumes: [{ name: volume, secret: { secretName: secret } }],
    container: {
      env: [{ name: keyFileVariable, value: `${folder}/key` }],
      volumeMounts: [{ name: volume, mountPath: folder, readOnly: true }],
    },
  };
}

/** One agent a node. */
export function agentDaemonSet({ namespace, image, secret }: AgentSettings): Manifest<DaemonSet> {
  const { volumes, container } = agentKey(secret);
  const probe = { httpGet: { path: '/healthz', port: agentPort } };
  return {
    metadata: { name, namespace, labels: agentLabels },
    spec: {
      selector: { matchLabels: agentLabels },
      template: {
        metadata: { labels: agentLabels },
        spec: {
          automountServiceAccountToken: false,
          // Nodes that are drained or full have a network, too.
          tolerations: [{ operator: 'Exists' }],
          terminationGracePeriodSeconds: 1,
          securityContext: { runAsNonRoot: true, runAsUser: 65_532, runAsGroup: 65_532, fsGroup: 65_532 },
          containers: [
            {
              name: 'agent',
              image,
              args: ['agent'],
              ...container,
              ports: [{ name: 'agent', containerPort: agentPort }],
              livenessProbe: probe,
              readinessProbe: probe,
              resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '128Mi' } },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
                seccompProfile: { type: 'RuntimeDefault' },
              },
            },
          ],
          volumes,
        },
      },
    },
  };
}
