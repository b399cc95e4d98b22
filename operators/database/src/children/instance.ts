/** What an instance is made of: a claim for its data; a pod with postgres under its guard, and beside it the brain that gives it orders. */
import { type Container, checksum, type Manifest, type PersistentVolumeClaim, type Pod } from '@kurator/sdk';
import { BRAIN, IDENTITY, type Identity } from '../identity.ts';
import { GUARD } from '../postgres/guard.ts';
import { majorOf, places } from '../postgres/places.ts';
import type { PostgresCluster } from '../resources.ts';
import {
  appSecretOf,
  BRAIN_PORT,
  DATABASE_PORT,
  hostOf,
  internalSecretOf,
  labelsOf,
  ownName,
  peerServiceOf,
  superuserSecretOf,
} from './names.ts';

/** Whom postgres runs as, whichever image it is from. */
const USER = 26;

/** On a pod: what of the spec it was made from. */
export const TEMPLATE = 'database.kurator.sh/template';
/** On a pod: initdb wants its user to have a name, and not every image knows this one. */
const PASSWD = 'database.kurator.sh/passwd';

export function claimOf(cluster: PostgresCluster, instance: string): Manifest<PersistentVolumeClaim> {
  const { size, storageClass } = cluster.spec.storage;
  return {
    metadata: { name: instance, labels: labelsOf(cluster) },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: String(size) } },
      ...(storageClass ? { storageClassName: storageClass } : {}),
    },
  };
}

/** What of the spec a pod must be made anew for. */
export function templateOf({ spec }: PostgresCluster): string {
  const { version, repository, resources, nodeSelector } = spec;
  return checksum({ version, repository, resources, nodeSelector });
}

const restricted = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

/** `brainImage`: the operator's own. */
export function podOf(cluster: PostgresCluster, instance: string, brainImage: string): Manifest<Pod> {
  const { spec } = cluster;
  const labels = labelsOf(cluster);
  const spread = { maxSkew: 1, labelSelector: { matchLabels: labels } };
  const annotations = {
    [TEMPLATE]: templateOf(cluster),
    [PASSWD]: `postgres:x:${USER}:${USER}::${places.volume}:/bin/sh`,
  };
  return {
    metadata: { name: instance, labels, annotations },
    spec: {
      hostname: instance,
      subdomain: peerServiceOf(cluster),
      restartPolicy: 'Always',
      // A fast shutdown takes as long as its checkpoint.
      terminationGracePeriodSeconds: 60,
      serviceAccountName: ownName(cluster),
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      ...(spec.nodeSelector ? { nodeSelector: spec.nodeSelector } : {}),
      securityContext: {
        runAsNonRoot: true,
        runAsUser: USER,
        runAsGroup: USER,
        fsGroup: USER,
        fsGroupChangePolicy: 'OnRootMismatch',
        seccompProfile: { type: 'RuntimeDefault' },
      },
      // Two instances on one node are lost together. A node that takes no pods does not count, so one that is down keeps nobody waiting.
      topologySpreadConstraints: [
        {
          ...spread,
          topologyKey: 'kubernetes.io/hostname',
          whenUnsatisfiable: 'DoNotSchedule',
          nodeTaintsPolicy: 'Honor',
        },
        { ...spread, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' },
      ],
      initContainers: [brainContainer(cluster, instance, brainImage)],
      containers: [databaseContainer(cluster)],
      volumes: [
        { name: 'data', persistentVolumeClaim: { claimName: instance } },
        // In memory: a full disk must not keep a deadline from being written.
        { name: 'guard', emptyDir: { medium: 'Memory', sizeLimit: '16Mi' } },
        { name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: '256Mi' } },
        { name: 'tmp', emptyDir: {} },
        {
          name: 'passwd',
          downwardAPI: { items: [{ path: 'passwd', fieldRef: { fieldPath: `metadata.annotations['${PASSWD}']` } }] },
        },
        {
          name: 'secrets',
          projected: {
            defaultMode: 0o440,
            sources: [
              secretFiles(internalSecretOf(cluster), ['replication', 'token'], 'internal'),
              secretFiles(superuserSecretOf(cluster), ['password'], 'superuser'),
              secretFiles(appSecretOf(cluster), ['password'], 'app'),
            ],
          },
        },
        {
          name: 'account',
          projected: {
            defaultMode: 0o440,
            sources: [
              { serviceAccountToken: { path: 'token', expirationSeconds: 3607 } },
              { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
              { downwardAPI: { items: [{ path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
            ],
          },
        },
      ],
    },
  };
}

const secretFiles = (name: string, keys: readonly string[], folder: string) => ({
  secret: { name, items: keys.map((key) => ({ key, path: `${folder}/${key}` })) },
});

/** As an init container that stays: it is there before the database, and ends after it. */
function brainContainer(cluster: PostgresCluster, instance: string, image: string): Container {
  const identity: Identity = {
    cluster: cluster.metadata.name,
    namespace: cluster.metadata.namespace ?? '',
    instance,
    host: hostOf(cluster, ''),
    lease: ownName(cluster),
    database: cluster.spec.bootstrap.database,
    owner: cluster.spec.bootstrap.owner,
  };
  const probe = (path: string) => ({ httpGet: { path, port: BRAIN_PORT }, timeoutSeconds: 5 });
  return {
    name: 'brain',
    image,
    args: [BRAIN],
    restartPolicy: 'Always',
    env: [{ name: IDENTITY, value: literally(JSON.stringify(identity)) }],
    ports: [{ name: 'brain', containerPort: BRAIN_PORT }],
    // Its share keeps the lease renewed on a node that is busy.
    resources: { requests: { cpu: '50m', memory: '96Mi' }, limits: { memory: '256Mi' } },
    startupProbe: { ...probe('/healthz'), periodSeconds: 1, failureThreshold: 120 },
    livenessProbe: { ...probe('/healthz'), periodSeconds: 10, failureThreshold: 3 },
    readinessProbe: { ...probe('/readyz'), periodSeconds: 1, failureThreshold: 2 },
    securityContext: restricted,
    volumeMounts: [
      { name: 'data', mountPath: places.volume },
      { name: 'guard', mountPath: places.guard },
      { name: 'secrets', mountPath: places.secrets, readOnly: true },
      { name: 'account', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true },
    ],
  };
}

function databaseContainer({ spec }: PostgresCluster): Container {
  return {
    name: 'postgres',
    image: `${spec.repository}:${spec.version}`,
    command: ['sh', '-c', literally(GUARD)],
    env: [
      { name: 'GUARD_DIR', value: places.guard },
      { name: 'PGDATA', value: places.data },
      { name: 'PGMAJOR', value: majorOf(spec.version) },
    ],
    ports: [{ name: 'postgresql', containerPort: DATABASE_PORT }],
    ...(spec.resources ? { resources: resourcesOf(spec.resources) } : {}),
    securityContext: restricted,
    volumeMounts: [
      { name: 'data', mountPath: places.volume },
      { name: 'guard', mountPath: places.guard },
      { name: 'shm', mountPath: '/dev/shm' },
      { name: 'tmp', mountPath: '/tmp' },
      { name: 'passwd', mountPath: '/etc/passwd', subPath: 'passwd', readOnly: true },
    ],
  };
}

/** Kubernetes would put variables in for what looks like their names. */
const literally = (text: string) => text.replaceAll('$', () => '$$');

/** As Kubernetes writes them: `1` is a number to people. */
function resourcesOf({ limits = {}, requests = {} }: NonNullable<PostgresCluster['spec']['resources']>) {
  const texts = (amounts: Readonly<Record<string, string | number>>) =>
    Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, String(amount)]));
  return { limits: texts(limits), requests: texts(requests) };
}
