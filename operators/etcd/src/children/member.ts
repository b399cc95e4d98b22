/** What a member is made of: a claim for its data, a pod that runs etcd on it. */
import { checksum, type Manifest, type PersistentVolumeClaim, type Pod, type PodSpec } from '@kurator/sdk';
import type { EtcdCluster } from '../resources.ts';
import { CLIENT_PORT, hostOf, labelsOf, METRICS_PORT, memberSecretOf, PEER_PORT, peerUrlOf } from './names.ts';

const DATA = '/var/lib/etcd';
const CERTIFICATES = '/etc/etcd/tls';
/** The user that etcd and its snapshots belong to: nobody in particular, and not root. */
const USER = 1000;

/** What every pod with such data runs as. */
export const AS_NOBODY = {
  runAsNonRoot: true,
  runAsUser: USER,
  runAsGroup: USER,
  fsGroup: USER,
  fsGroupChangePolicy: 'OnRootMismatch',
  seccompProfile: { type: 'RuntimeDefault' },
} as const;

/** An alarm is no reason to restart a member: it is still there afterwards, and nobody could read meanwhile. */
const ALIVE = '/health?serializable=true&exclude=NOSPACE&exclude=CORRUPT';
/** A full database can be read, and keys deleted, which is what is to be done then. */
const READY = '/health?exclude=NOSPACE';

/** On a pod: what of the spec it was made from. */
export const TEMPLATE = 'etcd.kurator.sh/template';
/** On a pod that begins a cluster of its own data whenever it starts: where a copy of that data is, in its volume. */
export const FORCED = 'etcd.kurator.sh/forced';
/** In the certificates of members alone: who has only a client's certificate is no peer. */
export const PEER_NAME = 'etcd-peer';
const SKIP_LOOKUP = 'peer-skip-client-san-verification';

export function claimOf(cluster: EtcdCluster, member: string): Manifest<PersistentVolumeClaim> {
  const { size, storageClassName } = cluster.spec.storage;
  return {
    metadata: { name: member, labels: labelsOf(cluster) },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: String(size) } },
      ...(storageClassName ? { storageClassName } : {}),
    },
  };
}

/** What of the spec a pod must be made anew for. */
export function templateOf({ spec }: EtcdCluster): string {
  const { version, repository, resources, quotaBackendBytes, autoCompactionRetention, nodeSelector } = spec;
  const { podTemplate, etcdOptions } = spec;
  const known = { version, repository, resources, quotaBackendBytes, autoCompactionRetention, nodeSelector };
  return checksum({ ...known, podTemplate, etcdOptions });
}

/** How a member finds the others when its data is still empty. */
export interface Bootstrap {
  /** `new`: it is the first; `existing`: it joins. */
  readonly state: 'new' | 'existing';
  /** The names of all members, itself included. */
  readonly members: readonly string[];
  /** It begins anew, alone, with the data that it has; a copy of that is put into this folder of its volume before. */
  readonly copy?: string;
}

export function podOf(cluster: EtcdCluster, member: string, bootstrap: Bootstrap): Manifest<Pod> {
  const { spec, metadata } = cluster;
  const labels = labelsOf(cluster);
  const spread = { maxSkew: 1, labelSelector: { matchLabels: labels } };
  const probe = (path: string, failureThreshold: number) => ({
    httpGet: { path, port: METRICS_PORT },
    timeoutSeconds: 5,
    failureThreshold,
  });
  const image = `${spec.repository}:v${spec.version}`;
  const securityContext = {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  };
  const resources = spec.resources ? { resources: resourcesOf(spec.resources) } : {};
  const data = { name: 'data', mountPath: DATA };
  const { copy } = bootstrap;
  const own = { [TEMPLATE]: templateOf(cluster), ...(copy ? { [FORCED]: copy } : {}) };
  const { metadata: given = {}, spec: where = {} } = spec.podTemplate ?? {};
  const placed = where as Partial<PodSpec>;
  return {
    // What the operator goes by is its own, whatever else is given.
    metadata: { name: member, labels: { ...given.labels, ...labels }, annotations: { ...given.annotations, ...own } },
    spec: {
      ...placed,
      hostname: member,
      subdomain: metadata.name,
      restartPolicy: 'Always',
      // It ends within a second; where it does not, its leader election is over before that.
      terminationGracePeriodSeconds: 10,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      ...(spec.nodeSelector ? { nodeSelector: spec.nodeSelector } : {}),
      securityContext: AS_NOBODY,
      // Two members on one node are lost together. A node that takes no pods does not count, so one that is down keeps nobody waiting.
      topologySpreadConstraints: placed.topologySpreadConstraints ?? [
        {
          ...spread,
          topologyKey: 'kubernetes.io/hostname',
          whenUnsatisfiable: 'DoNotSchedule',
          nodeTaintsPolicy: 'Honor',
        },
        { ...spread, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' },
      ],
      ...(copy
        ? {
            initContainers: [
              { name: 'copy', image, command: copyTo(copy), ...resources, securityContext, volumeMounts: [data] },
            ],
          }
        : {}),
      containers: [
        {
          name: 'etcd',
          image,
          command: ['etcd', ...argumentsOf(cluster, member, bootstrap)],
          // So that `kubectl exec POD -- etcdctl …` finds its way.
          env: Object.entries(toolVariables).map(([name, value]) => ({ name, value })),
          ports: [
            { name: 'client', containerPort: CLIENT_PORT },
            { name: 'peer', containerPort: PEER_PORT },
            { name: 'metrics', containerPort: METRICS_PORT },
          ],
          ...resources,
          // Whether the process is alive, whoever leads: a member without quorum must not be restarted for it.
          startupProbe: { ...probe(ALIVE, 120), periodSeconds: 1 },
          livenessProbe: { ...probe(ALIVE, 3), periodSeconds: 10 },
          readinessProbe: { ...probe(READY, 3), periodSeconds: 2 },
          securityContext,
          volumeMounts: [data, { name: 'tls', mountPath: CERTIFICATES, readOnly: true }],
        },
      ],
      volumes: [
        { name: 'data', persistentVolumeClaim: { claimName: member } },
        { name: 'tls', secret: { secretName: memberSecretOf(member), defaultMode: 0o440 } },
      ],
    },
  };
}

/** What etcd's image has: no shell, and no program that copies files. It refuses a folder that is there, so a copy is made once. */
const copyTo = (folder: string) => [
  'etcdutl',
  'snapshot',
  'restore',
  `${DATA}/data/member/snap/db`,
  '--skip-hash-check',
  `--data-dir=${DATA}/${folder}`,
];

const toolVariables = {
  ETCDCTL_ENDPOINTS: `https://localhost:${CLIENT_PORT}`,
  ETCDCTL_CACERT: `${CERTIFICATES}/ca.crt`,
  ETCDCTL_CERT: `${CERTIFICATES}/tls.crt`,
  ETCDCTL_KEY: `${CERTIFICATES}/tls.key`,
};

/** Data is compared when a member starts, and after compactions. 3.5 knows the second from 3.5.5 on. */
function corruptionChecks(version: string): Readonly<Record<string, string>> {
  const [, minor, patch] = version.split('.').map(Number);
  if (minor !== 5) return { 'feature-gates': 'InitialCorruptCheck=true,CompactHashCheck=true' };
  const first = { 'experimental-initial-corrupt-check': 'true' };
  return (patch ?? 0) >= 5 ? { ...first, 'experimental-compact-hash-check-enabled': 'true' } : first;
}

type EtcdOptions = NonNullable<EtcdCluster['spec']['etcdOptions']>;
const flagOf: Readonly<Record<keyof EtcdOptions, string>> = {
  heartbeatInterval: 'heartbeat-interval',
  electionTimeout: 'election-timeout',
  snapshotCount: 'snapshot-count',
  maxRequestBytes: 'max-request-bytes',
  maxTxnOps: 'max-txn-ops',
  maxConcurrentStreams: 'max-concurrent-streams',
  logLevel: 'log-level',
};
const tuning = (options: EtcdOptions = {}): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(options).map(([name, value]) => [flagOf[name as keyof EtcdOptions], `${value}`]));

/** As Kubernetes writes them: `1` is a number to people. */
function resourcesOf({ limits = {}, requests = {} }: NonNullable<EtcdCluster['spec']['resources']>) {
  const texts = (amounts: Readonly<Record<string, string | number>>) =>
    Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, String(amount)]));
  return { limits: texts(limits), requests: texts(requests) };
}

function argumentsOf(cluster: EtcdCluster, member: string, { state, members, copy }: Bootstrap): string[] {
  const { metadata, spec } = cluster;
  const peers = members.map((name) => `${name}=${peerUrlOf(cluster, name)}`).join(',');
  const values: Readonly<Record<string, string>> = {
    name: member,
    // A folder in the volume: a volume's own root may have a lost+found, or rights that etcd refuses.
    'data-dir': `${DATA}/data`,
    'listen-peer-urls': `https://0.0.0.0:${PEER_PORT}`,
    'listen-client-urls': `https://0.0.0.0:${CLIENT_PORT}`,
    'listen-metrics-urls': `http://0.0.0.0:${METRICS_PORT}`,
    'initial-advertise-peer-urls': peerUrlOf(cluster, member),
    'advertise-client-urls': `https://${hostOf(cluster, member)}:${CLIENT_PORT}`,
    'initial-cluster': peers,
    'initial-cluster-state': state,
    // Of this object and no other: a cluster of the same name from before is a stranger.
    'initial-cluster-token': metadata.uid ?? metadata.name,
    'client-cert-auth': 'true',
    'cert-file': `${CERTIFICATES}/tls.crt`,
    'key-file': `${CERTIFICATES}/tls.key`,
    'trusted-ca-file': `${CERTIFICATES}/ca.crt`,
    'peer-client-cert-auth': 'true',
    'peer-cert-file': `${CERTIFICATES}/tls.crt`,
    'peer-key-file': `${CERTIFICATES}/tls.key`,
    'peer-trusted-ca-file': `${CERTIFICATES}/ca.crt`,
    'peer-cert-allowed-cn': PEER_NAME,
    // Else a member looks up the names of whoever connects, and turns away one that has no name yet: its pod has just begun. That it is a
    // peer its certificate says: nobody else is given such a name by this authority.
    [spec.version.startsWith('3.5.') ? `experimental-${SKIP_LOOKUP}` : SKIP_LOOKUP]: 'true',
    'quota-backend-bytes': String(spec.quotaBackendBytes),
    'auto-compaction-mode': 'periodic',
    'auto-compaction-retention': spec.autoCompactionRetention,
    ...corruptionChecks(spec.version),
    ...tuning(spec.etcdOptions),
    ...(copy ? { 'force-new-cluster': 'true' } : {}),
  };
  return Object.entries(values).map(([flag, value]) => `--${flag}=${value}`);
}
