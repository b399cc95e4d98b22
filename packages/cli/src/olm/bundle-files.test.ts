import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { bundleFiles } from './bundle-files.ts';
import type { ClusterServiceVersion } from './cluster-service-version.ts';
import { clusterServiceVersion } from './csv.ts';
import { exampleSource } from './example-source.ts';

const files = new Map(bundleFiles(exampleSource).map(({ path, text }) => [path, text]));
const csv = clusterServiceVersion(exampleSource);
const { spec } = csv;

it('has the files of a registry+v1 bundle', () => {
  expect([...files.keys()]).toEqual([
    'manifests/garden-operator.clusterserviceversion.yaml',
    'manifests/example.com_gardens.yaml',
    'manifests/garden-operator-view.clusterrole.yaml',
    'manifests/garden-operator-edit.clusterrole.yaml',
    'manifests/garden-operator-metrics.service.yaml',
    'manifests/garden-operator.poddisruptionbudget.yaml',
    'metadata/annotations.yaml',
    'tests/scorecard/config.yaml',
    'bundle.Dockerfile',
  ]);
  const written = parse(files.get('manifests/garden-operator.clusterserviceversion.yaml') ?? '');
  expect(written).toEqual(JSON.parse(JSON.stringify(csv)));
});

it('labels its image as its annotations say', () => {
  const { annotations } = parse(files.get('metadata/annotations.yaml') ?? '') as { annotations: object };
  const dockerfile = files.get('bundle.Dockerfile') ?? '';
  for (const [name, value] of Object.entries(annotations)) expect(dockerfile).toContain(`LABEL ${name}=${value}\n`);
  expect(annotations).toMatchObject({
    'operators.operatorframework.io.bundle.package.v1': 'garden-operator',
    'operators.operatorframework.io.bundle.channels.v1': 'stable,beta',
    'operators.operatorframework.io.bundle.channel.default.v1': 'stable',
  });
});

describe('the ClusterServiceVersion', () => {
  it('is called by its version', () => {
    expect(csv.metadata.name).toBe('garden-operator.v1.2.0');
    expect(spec.version).toBe('1.2.0');
  });

  it('grants what the operator declares, where it works or in the cluster', () => {
    const { permissions, clusterPermissions } = spec.install.spec;
    expect(permissions).toHaveLength(1);
    expect(permissions[0]?.serviceAccountName).toBe('garden-operator');
    expect(permissions[0]?.rules.map(({ resources }) => resources?.[0])).toEqual(['deployments', 'leases']);
    expect(clusterPermissions[0]?.rules.map(({ resources }) => resources?.[0])).toEqual(['nodes']);
  });

  it('lets OLM say where the operator works', () => {
    const [container] = containersOf(csv);
    const variable = container?.env?.find(({ name }) => name === 'WATCH_NAMESPACE');
    expect(variable?.valueFrom?.fieldRef?.fieldPath).toBe("metadata.annotations['olm.targetNamespaces']");
    expect(spec.installModes.filter(({ supported }) => supported).map(({ type }) => type)).toEqual([
      'OwnNamespace',
      'AllNamespaces',
    ]);
    expect(spec.installModes).toHaveLength(4);
  });

  it('describes the fields of a kind, and how to show them', () => {
    const [garden] = spec.customresourcedefinitions.owned;
    expect(garden).toMatchObject({ name: 'gardens.example.com', kind: 'Garden', version: 'v1alpha1' });
    expect(garden?.resources).toEqual([{ kind: 'Deployment', version: 'v1', name: '' }]);
    const ui = 'urn:alm:descriptor:com.tectonic.ui';
    const shown = (garden?.specDescriptors ?? []).map((one) => [one.path, one.displayName, one['x-descriptors']]);
    expect(shown).toEqual([
      ['replicas', 'Replicas', [`${ui}:podCount`]],
      ['size', 'Size', [`${ui}:select:small`, `${ui}:select:large`]],
      ['watered', 'Watered', [`${ui}:booleanSwitch`]],
      ['soil.kind', 'Soil Kind', [`${ui}:text`]],
      ['soil.depth', 'Soil Depth', [`${ui}:number`]],
    ]);
    const paths = (garden?.statusDescriptors ?? []).map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['phase', 'conditions']));
  });

  it('brings an example of each kind', () => {
    expect(JSON.parse(csv.metadata.annotations?.['alm-examples'] ?? '')).toEqual(exampleSource.samples);
  });
});

function containersOf({ spec: { install } }: ClusterServiceVersion) {
  return install.spec.deployments.flatMap((one) => one.spec.template.spec?.containers ?? []);
}
