/** Who believes whom in an etcd cluster, who may read and write what, and how that changes while clients go on. */
import { EtcdBackup, EtcdCluster, etcd } from '@kurator/operator-etcd';
import { createAuthority, issueLeaf, type LeafRequest, leafData, readBundle } from '@kurator/pki';
import {
  type Client,
  conditionOf,
  installCrds,
  type KubernetesObject,
  manifestOf,
  PersistentVolumeClaim,
  Pod,
  type ResourceType,
  Secret,
  waitFor,
} from '@kurator/sdk';
import { type Cluster, createCluster, eventually } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EtcdClients } from './support/etcd-clients.ts';
import { ETCD_REPOSITORY, ETCD_VERSION, loadEtcd } from './support/etcd-image.ts';
import { inPod, kubectl, patiently } from './support/kubectl.ts';
import { runInCluster } from './support/operator-in-cluster.ts';

let cluster: Cluster;
let client: Client;
const namespace = 'default';
const vault = { name: 'vault', namespace };

beforeAll(async () => {
  ({ cluster } = await createCluster({ name: 'e2e-etcd-security', nodes: 2 }));
  client = await cluster.client();
  await loadEtcd(cluster, [ETCD_VERSION]);
  await installCrds(client, etcd.resources);
  const entry = 'operators/etcd/src/main.ts';
  await runInCluster(cluster, client, { name: etcd.name, entry, permissions: await etcd.permissions() });
  const spec = {
    size: 3,
    version: ETCD_VERSION,
    repository: ETCD_REPOSITORY,
    storage: { size: '256Mi' },
    quotaBackendBytes: 134_217_728,
    tls: { overlap: '2s' },
  };
  await client.create(EtcdCluster, manifestOf(EtcdCluster, { metadata: vault, spec }));
  await untilCalm();
});
afterAll(async () => {
  await client?.close();
  await cluster?.down();
});

const untilCalm = (asked = '') =>
  waitFor(
    client,
    EtcdCluster,
    vault,
    ({ spec, status, metadata }) =>
      status?.phase === 'Running' &&
      status.size === 3 &&
      spec.tls.authority === asked &&
      status.observedGeneration === metadata.generation &&
      conditionOf(status.conditions, 'CertificatesReady')?.reason === 'Current',
    { description: 'to run, with one authority', timeout: 180_000 },
  );
const secret = async (name: string) => await client.get(Secret, { name, namespace });
const authoritiesIn = ({ data = {} }: Secret) =>
  readBundle(Buffer.from(data['ca.crt'] ?? '', 'base64').toString()).map(({ keyId }) => keyId);
const members = async () =>
  (await client.list(Pod, { namespace, labelSelector: 'etcd.kurator.sh/cluster=vault' })).items;

describe('the authority of an etcd cluster', () => {
  it('is followed by another when one is asked for, and no client notices', async () => {
    const before = authoritiesIn(await secret('vault-ca'));
    const names = (await members()).map(({ metadata }) => metadata.name).sort();
    const clients = new EtcdClients(client, 'vault');
    await client.patch(EtcdCluster, vault, { spec: { tls: { authority: '2026-11' } } });
    await eventually(async () => {
      const now = authoritiesIn(await secret('vault-ca'));
      expect(now).toHaveLength(1);
      expect(now).not.toEqual(before);
    }, patiently);
    const { status } = await untilCalm('2026-11');
    await clients.stop();
    expect(clients.distrusted).toEqual([]);
    expect(clients.failed).toEqual([]);
    expect(clients.answered).toBeGreaterThan(50);
    console.log(`requests while the authority changed: ${clients.answered}, failed: ${clients.failed.length}`);

    // The same members on the same volumes, and every one of them believes the new authority alone.
    expect((await members()).map(({ metadata }) => metadata.name).sort()).toEqual(names);
    const now = authoritiesIn(await secret('vault-ca'));
    for (const name of names) {
      expect(authoritiesIn(await secret(`${name}-tls`))).toEqual(now);
    }
    for (const { metadata } of await members()) expect(metadata.annotations?.['etcd.kurator.sh/trusts']).toBe(now[0]);
    expect(conditionOf(status?.conditions, 'Ready')).toMatchObject({ status: 'True' });
  });
});

describe('the operator of etcd clusters', () => {
  it('says how they are to Prometheus', async () => {
    const { items } = await client.list(Pod, { namespace: etcd.name });
    const [pod] = items;
    const path = `/api/v1/namespaces/${etcd.name}/pods/${pod?.metadata.name}:8080/proxy/metrics`;
    const text = await kubectl(cluster, ['get', '--raw', path]);
    expect(text).toContain('kurator_etcd_members_healthy{namespace="default",cluster="vault"} 3');
    expect(text).toMatch(/kurator_etcd_steps_total\{step="promote"\} [2-9]/);
  });
});

describe('certificates that somebody else makes', () => {
  const name = 'given';
  it('are named while they are missing, and used once they are there', async () => {
    const spec = {
      size: 1,
      version: ETCD_VERSION,
      repository: ETCD_REPOSITORY,
      storage: { size: '256Mi' },
      quotaBackendBytes: 134_217_728,
      tls: { provider: 'Secret', secret: { member: 'given-member', client: 'given-client' } },
    } as const;
    await client.create(EtcdCluster, manifestOf(EtcdCluster, { metadata: { name, namespace }, spec }));
    const until = (reason: string, phase?: string) =>
      waitFor(
        client,
        EtcdCluster,
        { name, namespace },
        ({ status }) =>
          conditionOf(status?.conditions, 'CertificatesReady')?.reason === reason &&
          (!phase || status?.phase === phase),
        { description: `to say ${reason}`, timeout: 60_000 },
      );
    const { status } = await until('SecretMissing');
    expect(conditionOf(status?.conditions, 'CertificatesReady')?.message).toContain(
      'the Secret given-member is not there',
    );

    const [now, lifetime] = [Date.now(), 86_400_000];
    const authority = createAuthority({ name: 'ours', lifetime, now });
    const give = async (what: string, request: Omit<LeafRequest, 'lifetime' | 'now'>) => {
      const pair = issueLeaf(authority, { ...request, lifetime, now });
      const data = leafData({ pair, bundle: authority.pem });
      await client.create(Secret, { metadata: { name: what, namespace }, type: 'kubernetes.io/tls', data });
    };
    const names = ['*.given.default.svc', 'localhost', '127.0.0.1'];
    await give('given-member', { commonName: 'etcd-peer', names, usages: ['server', 'client'] });
    await give('given-client', { commonName: 'ours', usages: ['client'] });
    await until('Given', 'Running');
    const clients = new EtcdClients(client, name);
    await eventually(async () => expect(clients.answered).toBeGreaterThan(5), patiently);
    await clients.stop();
    expect(clients.failed).toEqual([]);
    expect(authoritiesIn(await secret('given-client-tls'))).toEqual([authority.certificate.keyId]);
  });
});

/** As much of cert-manager's Certificate as an issuer goes by. */
interface Certificate extends KubernetesObject {
  spec?: {
    secretName: string;
    commonName: string;
    dnsNames?: string[];
    ipAddresses?: string[];
    usages: string[];
    issuerRef: { name: string };
  };
}
const Certificate: ResourceType<Certificate> = {
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  plural: 'certificates',
  namespaced: true,
};
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'certificates.cert-manager.io' },
  spec: {
    group: 'cert-manager.io',
    scope: 'Namespaced',
    names: { kind: 'Certificate', plural: 'certificates' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

describe('certificates by cert-manager, and users with roles', () => {
  const place = { name: 'issued', namespace };
  const password = 'open-sesame-4711';
  const until = (description: string, is: (cluster: EtcdCluster) => boolean) =>
    waitFor(client, EtcdCluster, place, is, { description, timeout: 90_000 });
  const untilCertificates = (reason: string) =>
    until(`to say ${reason}`, ({ status }) => conditionOf(status?.conditions, 'CertificatesReady')?.reason === reason);
  const issueAll = async () => {
    const [now, lifetime] = [Date.now(), 86_400_000];
    const authority = createAuthority({ name: 'issuer', lifetime, now });
    for (const { spec } of (await client.list(Certificate, { namespace })).items) {
      const { secretName: name = '', commonName = '', dnsNames = [], ipAddresses = [], usages = [] } = spec ?? {};
      const isServer = usages.includes('server auth');
      const pair = issueLeaf(authority, {
        commonName,
        names: [...dnsNames, ...ipAddresses],
        usages: isServer ? ['server', 'client'] : ['client'],
        lifetime,
        now,
      });
      const data = leafData({ pair, bundle: authority.pem });
      await client.create(Secret, { metadata: { name, namespace }, type: 'kubernetes.io/tls', data });
    }
  };

  it('are asked for once cert-manager is there, and waited for; etcd asks who somebody is then', async () => {
    await client.create(Secret, { metadata: { name: 'ann', namespace }, stringData: { password } });
    const spec = {
      size: 1,
      version: ETCD_VERSION,
      repository: ETCD_REPOSITORY,
      storage: { size: '256Mi' },
      quotaBackendBytes: 134_217_728,
      tls: { provider: 'CertManager', issuerRef: { name: 'ca' } },
      auth: {
        roles: [{ name: 'app', permissions: [{ access: 'ReadWrite', prefix: '/app/' }] }],
        users: [{ name: 'ann', passwordSecret: { name: 'ann' }, roles: ['app'] }],
      },
    } as const;
    await client.create(EtcdCluster, manifestOf(EtcdCluster, { metadata: place, spec: spec as never }));
    const { status } = await untilCertificates('CertManagerMissing');
    expect(conditionOf(status?.conditions, 'CertificatesReady')?.message).toContain('install cert-manager');
    await kubectl(cluster, ['create', '-f', '-'], JSON.stringify(definition));
    await untilCertificates('Issuing');
    await issueAll();
    await until('to run, with users', ({ status }) =>
      Boolean(status?.phase === 'Running' && conditionOf(status.conditions, 'AccessReady')?.status === 'True'),
    );
    const [member] = (await client.list(Pod, { namespace, labelSelector: 'etcd.kurator.sh/cluster=issued' })).items;
    const etcdctl = (...words: string[]) => inPod(cluster, member?.metadata.name ?? '', 'etcdctl', ...words);
    const ann = `--user=ann:${password}`;
    await expect(etcdctl('put', '/app/1', 'mine')).rejects.toThrow('permission denied');
    expect(await etcdctl(ann, 'put', '/app/1', 'hers')).toBe('OK\n');
    expect(await etcdctl(ann, 'get', '/app/1', '--print-value-only')).toBe('hers\n');
    await expect(etcdctl(ann, 'put', '/other', 'hers')).rejects.toThrow('permission denied');
  });

  it('does not keep backups from being taken, restored and compared; and nowhere is a password told', async () => {
    await client.create(PersistentVolumeClaim, {
      metadata: { name: 'backups', namespace },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '256Mi' } } },
    });
    const storage = { volume: { claimName: 'backups' } };
    await client.create(EtcdBackup, {
      metadata: place,
      spec: { cluster: place.name, storage } as never,
    });
    const { status } = await waitFor(client, EtcdBackup, place, ({ status }) => status?.phase === 'Succeeded', {
      description: 'to be taken',
      timeout: 90_000,
    });
    expect(status?.backups?.[0]?.verifiedAt).toBeDefined();
    const told = await Promise.all([
      kubectl(cluster, ['logs', '--namespace', etcd.name, `deployment/${etcd.name}`]),
      kubectl(cluster, ['get', 'etcdclusters,etcdbackups,pods,events', '--output', 'yaml']),
    ]);
    for (const text of told) expect(text).not.toContain(password);
  });
});
