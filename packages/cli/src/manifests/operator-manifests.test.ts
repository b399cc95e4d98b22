import type { Deployment, KubernetesObject, Role, Service } from '@kurator/client';
import type { NetworkPolicy } from '@kurator/client/networking/v1';
import { describe, expect, it } from 'vitest';
import type { OperatorDescription } from './description.ts';
import { operatorManifests } from './operator-manifests.ts';

const rule = (resource: string) => ({ apiGroups: [''], resources: [resource], verbs: ['get'] });
const description: OperatorDescription = {
  name: 'web-operator',
  image: 'web-operator:1',
  crds: [],
  permissions: { namespaced: [rule('pods')], cluster: [rule('nodes')], own: [rule('leases')] },
  webhooks: false,
};
const titles = (objects: readonly KubernetesObject[]) =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${metadata.name}`);
const kind = <T extends KubernetesObject>(objects: readonly KubernetesObject[], kind: string) =>
  objects.filter((object) => object.kind === kind) as T[];

describe('the manifests of an operator', () => {
  it('are in the order in which they need each other', () => {
    expect(titles(operatorManifests(description))).toEqual([
      'Namespace web-operator',
      'ServiceAccount web-operator/web-operator',
      'ClusterRole web-operator',
      'ClusterRoleBinding web-operator',
      'Role web-operator/web-operator-own',
      'RoleBinding web-operator/web-operator-own',
      'Service web-operator/web-operator-metrics',
      'NetworkPolicy web-operator/web-operator',
      'PodDisruptionBudget web-operator/web-operator',
      'Deployment web-operator/web-operator',
    ]);
  });

  it('give rights only in the namespaces that it works in', () => {
    const objects = operatorManifests({ ...description, namespaces: ['shop', 'blog'] });
    const granted = Object.fromEntries(
      kind<Role>(objects, 'Role').map(({ metadata, rules }) => [metadata.namespace, rules]),
    );
    expect(granted).toEqual({ shop: [rule('pods')], blog: [rule('pods')], 'web-operator': [rule('leases')] });
    expect(kind<Role>(objects, 'ClusterRole').map(({ rules }) => rules)).toEqual([[rule('nodes')]]);
    const [deployment] = kind<Deployment>(objects, 'Deployment');
    expect(deployment?.spec?.template.spec?.containers[0]?.env).toContainEqual({
      name: 'WATCH_NAMESPACE',
      value: 'shop,blog',
    });
  });

  it('have a Service for webhooks only where there are any', () => {
    const services = (webhooks: boolean) => titles(kind(operatorManifests({ ...description, webhooks }), 'Service'));
    expect(services(false)).toEqual(['Service web-operator/web-operator-metrics']);
    expect(services(true)).toContain('Service web-operator/web-operator');
  });

  it('let only those read metrics that are not for everybody who were given the right, Prometheus by an account of its own', () => {
    const reserved = { ...description, authorizedMetrics: true };
    expect(titles(operatorManifests(reserved)).filter((title) => title.includes('reader'))).toEqual([
      'ClusterRole web-operator-metrics-reader',
    ]);
    const objects = operatorManifests({ ...reserved, serviceMonitor: true });
    expect(titles(objects).slice(-4)).toEqual([
      'ServiceAccount web-operator/web-operator-metrics-reader',
      'ClusterRoleBinding web-operator-metrics-reader',
      'Secret web-operator/web-operator-metrics-reader',
      'ServiceMonitor web-operator/web-operator',
    ]);
    const [service] = kind<Service>(objects, 'Service');
    const [monitor] = kind<KubernetesObject & { spec: object }>(objects, 'ServiceMonitor');
    expect(monitor?.spec).toEqual({
      selector: { matchLabels: { 'app.kubernetes.io/name': 'web-operator', 'app.kubernetes.io/component': 'metrics' } },
      endpoints: [
        {
          port: 'metrics',
          path: '/metrics',
          scheme: 'https',
          authorization: { credentials: { name: 'web-operator-metrics-reader', key: 'token' } },
          tlsConfig: {
            ca: { secret: { name: 'web-operator-metrics', key: 'ca.crt' } },
            serverName: 'web-operator-metrics.web-operator.svc',
          },
        },
      ],
    });
    expect(service?.metadata.labels).toMatchObject({ 'app.kubernetes.io/component': 'metrics' });
    const [{ spec } = {}] = kind<Deployment>(objects, 'Deployment');
    expect(spec?.template.spec?.containers[0]?.ports).toContainEqual({ name: 'metrics', containerPort: 8443 });
    const [policy] = kind<NetworkPolicy>(objects, 'NetworkPolicy');
    expect(policy?.spec?.ingress?.[0]?.ports).toContainEqual({ port: 'metrics', protocol: 'TCP' });
  });

  it('have the policy of its references right after its kinds, unless that is not wanted', () => {
    const policy = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'references.webs.example.com' },
    };
    const referring = { ...description, policies: [policy] };
    expect(titles(operatorManifests(referring))[0]).toBe('ValidatingAdmissionPolicy references.webs.example.com');
    const without = operatorManifests({ ...referring, referencePolicy: false });
    expect(kind(without, 'ValidatingAdmissionPolicy')).toEqual([]);
  });

  it('leave out what is not wanted', () => {
    const without = { createNamespace: false, networkPolicy: false, disruptionBudget: false } as const;
    const kinds = operatorManifests({ ...description, ...without }).map((object) => object.kind);
    expect(kinds).not.toContain('Namespace');
    expect(kinds).not.toContain('NetworkPolicy');
    expect(kinds).not.toContain('PodDisruptionBudget');
    expect(kinds).not.toContain('ServiceMonitor');
  });
});
