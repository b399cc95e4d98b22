/**
 * The pods in which snapshots are handled, one step in each container. The operator's image moves and judges bytes, etcd's own image
 * restores them: neither needs what is in the other, and the operator itself never holds a snapshot.
 */
import { type Container, type Manifest, type Pod, type PodSpec, parseDuration } from '@kurator/sdk';
import { AS_NOBODY } from '../children/member.ts';
import { operatorSecretOf } from '../children/names.ts';
import type { EtcdCluster } from '../resources.ts';
import type { Storage } from './storage-fields.ts';
import { AGENT, places, SCRATCH, type Subject, TASK, type Task } from './task.ts';

/** On pods that handle snapshots: what for. */
export const TASK_LABEL = 'etcd.kurator.sh/snapshot-task';
/** What a pod may take in all before the kubelet ends it; the operator has its own patience for one that doesn't begin. */
export const LONGEST_RUN = parseDuration('30m');

const SCRATCH_PEER = 'http://127.0.0.1:2380';

/** Which programs run in them. */
export interface Images {
  /** The operator's own. */
  readonly agent: string;
  readonly etcd: string;
}

export const etcdImageOf = ({ version, repository }: Pick<EtcdCluster['spec'], 'version' | 'repository'>) =>
  `${repository}:v${version}`;

/** Takes one; and, if it is to be verified, brings it back from where it was put, restores it and compares. */
export function backupPod(options: {
  readonly name: string;
  readonly cluster: EtcdCluster;
  readonly storage: Storage;
  readonly key: string;
  readonly subject: Subject;
  readonly verify: boolean;
  readonly remove: readonly string[];
  readonly images: Images;
}): Manifest<Pod> {
  const { name, cluster, storage, key, subject, verify, remove, images } = options;
  const agent = (task: Task) => agentContainer(task, images.agent, storage, true);
  const take = agent({ do: 'take', storage, key, subject, verify, remove });
  const tls = { name: 'tls', secret: { secretName: operatorSecretOf(cluster), defaultMode: 0o440 } };
  const volumes = [tls, ...volumesOf(storage)];
  if (!verify) return podOf(name, 'backup', { containers: [take], volumes });
  return podOf(name, 'backup', {
    initContainers: [
      take,
      agentContainer(
        { do: 'fetch', storage, key, into: places.snapshot, known: 'taken', scratch: true },
        images.agent,
        storage,
      ),
      scratchRestore(images.etcd),
    ],
    containers: [scratchMember(images.etcd, cluster.spec), agent({ do: 'verify', storage, key, subject, remove })],
    volumes,
  });
}

/** Says what is written beside one. */
export function readPod(options: {
  readonly name: string;
  readonly storage: Storage;
  readonly key: string;
  readonly agent: string;
}): Manifest<Pod> {
  const { name, storage, key, agent } = options;
  const containers = [agentContainer({ do: 'read', storage, key }, agent, storage)];
  return podOf(name, 'read', { containers, volumes: volumesOf(storage) });
}

/** Brings one out of the storage, restores it, and compares it with what is written beside it. */
export function checkPod(options: {
  readonly name: string;
  readonly storage: Storage;
  readonly key: string;
  readonly version: string;
  readonly images: Images;
}): Manifest<Pod> {
  const { name, storage, key, version, images } = options;
  return podOf(name, 'check', {
    initContainers: [
      agentContainer(
        { do: 'fetch', storage, key, into: places.snapshot, known: 'written', version, scratch: true },
        images.agent,
        storage,
      ),
      scratchRestore(images.etcd),
    ],
    containers: [scratchMember(images.etcd), agentContainer({ do: 'check', storage, key }, images.agent, storage)],
    volumes: volumesOf(storage),
  });
}

/** Whether a container is one whose end with an error is the end of the pod's work. */
export const SCRATCH_MEMBER = 'scratch-member';

/** Into a folder of its own beside the data directory, which appears whole or not at all. */
export function seedPod(options: {
  readonly name: string;
  readonly member: string;
  readonly peerUrl: string;
  readonly token: string;
  readonly cluster: EtcdCluster;
  readonly source: NonNullable<EtcdCluster['spec']['bootstrap']>['restore'];
  readonly images: Images;
}): Manifest<Pod> {
  const { name, member, peerUrl, token, cluster, source, images } = options;
  const { storage, key, sha256 } = source;
  const volume = '/var/lib/etcd';
  const mount = { name: 'data', mountPath: volume };
  const restoring = `${volume}/restoring`;
  const data = `${volume}/data`;
  const fetching: Task = {
    do: 'fetch',
    storage,
    key,
    into: places.snapshot,
    known: 'written',
    version: cluster.spec.version,
    unless: data,
    clear: restoring,
    ...(sha256 ? { sha256 } : {}),
  };
  const fetch = agentContainer(fetching, images.agent, storage);
  const settle = agentContainer({ do: 'settle', from: restoring, to: data }, images.agent, storage);
  const flags = { name: member, 'initial-cluster': `${member}=${peerUrl}`, 'initial-cluster-token': token };
  const restore = etcdContainer('restore', images.etcd, [
    'etcdutl',
    'snapshot',
    'restore',
    places.snapshot,
    `--data-dir=${restoring}`,
    ...Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`),
    `--initial-advertise-peer-urls=${peerUrl}`,
  ]);
  const withData = (container: Container): Container => ({
    ...container,
    volumeMounts: [...(container.volumeMounts ?? []), mount],
  });
  return podOf(name, 'restore', {
    initContainers: [withData(fetch), withData(restore)],
    containers: [withData(settle)],
    volumes: [...volumesOf(storage), { name: 'data', persistentVolumeClaim: { claimName: member } }],
    ...(cluster.spec.nodeSelector ? { nodeSelector: cluster.spec.nodeSelector } : {}),
  });
}

function podOf(name: string, task: string, { volumes = [], ...spec }: PodSpec): Manifest<Pod> {
  return {
    metadata: { name, labels: { [TASK_LABEL]: task } },
    spec: {
      restartPolicy: 'Never',
      activeDeadlineSeconds: LONGEST_RUN / 1000,
      terminationGracePeriodSeconds: 5,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: AS_NOBODY,
      ...spec,
      volumes: [...volumes, { name: 'work', emptyDir: {} }],
    },
  };
}

const restricted = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

/** `client`: shows the cluster a certificate. */
function agentContainer(task: Task, image: string, storage: Storage, client = false): Container {
  return {
    name: task.do,
    image,
    args: [AGENT],
    // Kubernetes would put other variables in for what looks like their names.
    env: [{ name: TASK, value: JSON.stringify(task).replaceAll('$', () => '$$') }],
    // Four parts of 8 MiB are under way at once, beside what Node itself takes.
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '512Mi' } },
    securityContext: restricted,
    volumeMounts: [
      { name: 'work', mountPath: places.work },
      ...(client ? [{ name: 'tls', mountPath: places.tls, readOnly: true }] : []),
      ...(storage.volume ? [{ name: 'claim', mountPath: places.claim }] : []),
      ...(storage.s3 ? [{ name: 'credentials', mountPath: places.credentials, readOnly: true }] : []),
      ...(storage.s3?.caSecret ? [{ name: 'ca', mountPath: places.ca, readOnly: true }] : []),
    ],
  };
}

function volumesOf({ s3, volume }: Storage): NonNullable<PodSpec['volumes']> {
  const secret = (name: string, secretName: string) => ({ name, secret: { secretName, defaultMode: 0o440 } });
  return [
    ...(volume ? [{ name: 'claim', persistentVolumeClaim: { claimName: volume.claimName } }] : []),
    ...(s3 ? [secret('credentials', s3.credentialsSecret)] : []),
    ...(s3?.caSecret ? [secret('ca', s3.caSecret)] : []),
  ];
}

function etcdContainer(name: string, image: string, command: string[]): Container {
  return {
    name,
    image,
    command,
    securityContext: restricted,
    // What its tools say of a failure is all that is known of it.
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [{ name: 'work', mountPath: places.work }],
  };
}

const scratchFlags = [`--name=scratch`, `--data-dir=${places.restored}`, `--initial-cluster=scratch=${SCRATCH_PEER}`];

function scratchRestore(image: string): Container {
  const command = ['etcdutl', 'snapshot', 'restore', places.snapshot, ...scratchFlags];
  return etcdContainer('restore', image, [...command, `--initial-advertise-peer-urls=${SCRATCH_PEER}`]);
}

/** A member of a cluster of its own, in a pod of its own: nobody else can reach it, and it syncs nothing. */
function scratchMember(image: string, spec?: EtcdCluster['spec']): Container {
  const urls = {
    'listen-client-urls': SCRATCH,
    'advertise-client-urls': SCRATCH,
    'listen-peer-urls': SCRATCH_PEER,
    'initial-advertise-peer-urls': SCRATCH_PEER,
    'client-cert-auth': 'true',
    'trusted-ca-file': `${places.scratchTls}/ca.crt`,
    'cert-file': `${places.scratchTls}/tls.crt`,
    'key-file': `${places.scratchTls}/tls.key`,
    // An alarm for want of room would be in nobody's way, but in the log.
    'quota-backend-bytes': String(spec?.quotaBackendBytes ?? 17_179_869_184),
  };
  const flags = Object.entries(urls).map(([flag, value]) => `--${flag}=${value}`);
  return etcdContainer(SCRATCH_MEMBER, image, ['etcd', ...scratchFlags, ...flags, '--unsafe-no-fsync']);
}
