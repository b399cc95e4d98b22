/** The command lines of the control plane: pure, so that a test can look at what would be run. */
import { frontProxyName, type Pki } from './pki.ts';

export interface ControlPlaneSettings {
  pki: Pki;
  /** Where etcd keeps its data and its socket: no port, and nobody but the owner gets in. */
  etcdFolder: string;
  bindAddress: string;
  port: number;
  /** What pods see behind the `kubernetes` Service; none without nodes. */
  advertiseAddress?: string;
  serviceRange: string;
  podRange?: string;
  audit?: { policy: string; log: string };
  /** How long a silent node counts as healthy; Kubernetes' default unless given. */
  nodeGracePeriod?: string;
  /** `--FLAG=VALUE` for the API server, after ours. */
  extraApiServerArguments?: readonly string[];
}

function etcdSocket(folder: string): string {
  return `unix://${folder}/etcd.sock`;
}

export function etcdArguments({ etcdFolder }: Pick<ControlPlaneSettings, 'etcdFolder'>): string[] {
  // Nobody ever dials the advertised addresses of a single member; they only have to look like addresses.
  const advertised = 'http://localhost:2380';
  return flags({
    'data-dir': `${etcdFolder}/data`,
    'listen-client-urls': etcdSocket(etcdFolder),
    'advertise-client-urls': advertised,
    'listen-peer-urls': `unix://${etcdFolder}/peer.sock`,
    'initial-advertise-peer-urls': advertised,
    'initial-cluster': `default=${advertised}`,
    // A cluster for tests is thrown away with its machine: waiting for the disk buys nothing.
    'unsafe-no-fsync': 'true',
    // A lone member has nobody to hear from before it leads.
    'heartbeat-interval': '10',
    'election-timeout': '100',
    'log-level': 'warn',
  });
}

export function apiServerArguments(settings: ControlPlaneSettings): string[] {
  const { pki, etcdFolder, bindAddress, port, advertiseAddress, serviceRange, audit } = settings;
  return [
    ...flags({
      'etcd-servers': etcdSocket(etcdFolder),
      'bind-address': bindAddress,
      'secure-port': String(port),
      ...(advertiseAddress ? { 'advertise-address': advertiseAddress } : { 'endpoint-reconciler-type': 'none' }),
      'tls-cert-file': pki.file('apiserver.crt'),
      'tls-private-key-file': pki.file('apiserver.key'),
      'client-ca-file': pki.file('ca.crt'),
      'authorization-mode': 'Node,RBAC',
      'enable-admission-plugins': 'NodeRestriction',
      'allow-privileged': 'true',
      'service-cluster-ip-range': serviceRange,
      'service-account-issuer': 'https://kubernetes.default.svc.cluster.local',
      'service-account-key-file': pki.file('service-accounts.pub'),
      'service-account-signing-key-file': pki.file('service-accounts.key'),
      'kubelet-client-certificate': pki.file('kubelet-client.crt'),
      'kubelet-client-key': pki.file('kubelet-client.key'),
      'kubelet-certificate-authority': pki.file('ca.crt'),
      'kubelet-preferred-address-types': 'InternalIP',
      'requestheader-client-ca-file': pki.file('front-proxy-ca.crt'),
      'requestheader-allowed-names': frontProxyName,
      'requestheader-username-headers': 'X-Remote-User',
      'requestheader-group-headers': 'X-Remote-Group',
      'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
      'proxy-client-cert-file': pki.file('front-proxy-client.crt'),
      'proxy-client-key-file': pki.file('front-proxy-client.key'),
      // The control plane has no kube-proxy: it reaches webhooks and aggregated servers at their pods' addresses.
      'enable-aggregator-routing': 'true',
      ...(audit ? { 'audit-policy-file': audit.policy, 'audit-log-path': audit.log } : {}),
    }),
    ...(settings.extraApiServerArguments ?? []),
  ];
}

/**
 * The controller manager makes a service account for each of its some forty controllers before the one that pods wait
 * for; by its default of 20 requests a second that takes seconds. Here nobody else has to be spared.
 */
const unhampered = { 'kube-api-qps': '500', 'kube-api-burst': '1000' } as const;

export function controllerManagerArguments(
  { pki, podRange, nodeGracePeriod }: ControlPlaneSettings,
  kubeconfig: string,
): string[] {
  return flags({
    kubeconfig,
    ...unhampered,
    'secure-port': '0',
    'leader-elect': 'false',
    'use-service-account-credentials': 'true',
    'service-account-private-key-file': pki.file('service-accounts.key'),
    'root-ca-file': pki.file('ca.crt'),
    'cluster-signing-cert-file': pki.file('ca.crt'),
    'cluster-signing-key-file': pki.file('ca.key'),
    ...(podRange ? { 'cluster-cidr': podRange } : {}),
    ...(nodeGracePeriod ? { 'node-monitor-grace-period': nodeGracePeriod, 'node-monitor-period': '1s' } : {}),
  });
}

export function schedulerArguments(kubeconfig: string): string[] {
  return flags({ kubeconfig, ...unhampered, 'secure-port': '0', 'leader-elect': 'false' });
}

/** `{ name: 'value' }` as `--name=value`. */
function flags(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`);
}
