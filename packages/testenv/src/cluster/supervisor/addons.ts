/** What a cluster has beyond Kubernetes itself: dynamic volumes, and the metrics that `kubectl top` and autoscalers ask for. */
import { readFile } from 'node:fs/promises';
import { startMetricsServer } from '../../addons/metrics/metrics-server.ts';
import { metricsServerNames, registerMetricsApi } from '../../addons/metrics/register.ts';
import { startVolumeProvisioner } from '../../addons/volumes/provisioner.ts';
import type { AddressPlan } from '../../machines/addresses.ts';
import type { Reporter } from '../../reporter.ts';
import { issueFor } from '../certificates.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { frontProxyName } from '../control-plane/pki.ts';
import type { ClusterNode } from '../node/node.ts';

export interface Addons {
  stop(): Promise<void>;
}

export async function startAddons(
  { client, pki }: ControlPlane,
  nodes: readonly ClusterNode[],
  plan: AddressPlan,
  reporter: Reporter,
): Promise<Addons> {
  const serving = issueFor(pki.authority, { commonName: 'kurator-metrics', names: metricsServerNames });
  const ca = pki.authority.pem;
  const [provisioner, metrics] = await Promise.all([
    startVolumeProvisioner({ client, hosts: nodes.map(({ volumes }) => volumes), reporter }),
    startMetricsServer({
      client,
      kubelets: nodes.map(({ name, machine }) => ({ node: name, url: `https://${machine.address}:10250` })),
      kubeletCredentials: {
        ca,
        cert: await readFile(pki.file('kubelet-client.crt'), 'utf8'),
        key: await readFile(pki.file('kubelet-client.key'), 'utf8'),
      },
      serving: { cert: serving.pem, key: serving.exportKey() },
      frontProxy: { ca: pki.frontProxyAuthority.pem, names: [frontProxyName] },
      host: plan.host,
      reporter,
    }),
  ]);
  await registerMetricsApi(client, { address: plan.host, port: metrics.port, caBundle: ca });
  return {
    async stop() {
      await Promise.all([provisioner.stop(), metrics.stop()]);
    },
  };
}
