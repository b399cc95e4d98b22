/** The files of an OLM bundle in the format `registry+v1`. Pure. */
import type { KubernetesObject } from '@kurator/client';
import { HEADER, yamlFile } from '../files/generated-file.ts';
import type { PlannedFile } from '../files/template.ts';
import { operatorManifests } from '../manifests/operator-manifests.ts';
import { type BundleSource, clusterServiceVersion } from './csv.ts';

const MANIFESTS = 'manifests';
const METADATA = 'metadata';
const SCORECARD = 'tests/scorecard';

/** Kinds that OLM installs beside the operator. The rest it makes itself from the ClusterServiceVersion. */
const beside = new Set(['Service', 'PodDisruptionBudget']);
const userRole = /-(view|edit|metrics-reader)$/;

export function bundleFiles(source: BundleSource): PlannedFile[] {
  const { operator, listing } = source;
  const labels = bundleLabels(operator.name, listing.channels, listing.defaultChannel);
  const others = operatorManifests(operator).filter(isBeside).map(withoutNamespace);
  return [
    yamlFile(`${MANIFESTS}/${operator.name}.clusterserviceversion.yaml`, [clusterServiceVersion(source)]),
    ...operator.crds.map((crd) => yamlFile(`${MANIFESTS}/${crd.spec.group}_${crd.spec.names.plural}.yaml`, [crd])),
    ...others.map((object) => yamlFile(`${MANIFESTS}/${fileName(object)}`, [object])),
    yamlFile(`${METADATA}/annotations.yaml`, [{ annotations: labels }]),
    yamlFile(`${SCORECARD}/config.yaml`, [scorecardConfig()]),
    { path: 'bundle.Dockerfile', text: dockerfile(labels) },
  ];
}

/** On the bundle's image and in its annotations.yaml alike. */
function bundleLabels(name: string, channels: readonly string[], defaultChannel: string): Record<string, string> {
  const prefix = 'operators.operatorframework.io.bundle';
  return {
    [`${prefix}.mediatype.v1`]: 'registry+v1',
    [`${prefix}.manifests.v1`]: `${MANIFESTS}/`,
    [`${prefix}.metadata.v1`]: `${METADATA}/`,
    [`${prefix}.package.v1`]: name,
    [`${prefix}.channels.v1`]: channels.join(','),
    [`${prefix}.channel.default.v1`]: defaultChannel,
    'operators.operatorframework.io.metrics.builder': 'kurator',
    'operators.operatorframework.io.metrics.mediatype.v1': 'metrics+v1',
    'operators.operatorframework.io.metrics.project_layout': 'typescript.kurator.sh/v1',
    'operators.operatorframework.io.test.mediatype.v1': 'scorecard+v1',
    'operators.operatorframework.io.test.config.v1': `${SCORECARD}/`,
  };
}

function isBeside({ kind, metadata }: KubernetesObject): boolean {
  return beside.has(kind) || (kind === 'ClusterRole' && userRole.test(metadata.name));
}

/** OLM decides where it is installed. */
function withoutNamespace(object: KubernetesObject): KubernetesObject {
  const { namespace: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function fileName({ kind, metadata }: KubernetesObject): string {
  return `${metadata.name}.${kind.toLowerCase()}.yaml`;
}

function scorecardConfig() {
  return {
    apiVersion: 'scorecard.operatorframework.io/v1alpha3',
    kind: 'Configuration',
    metadata: { name: 'config' },
    stages: [{ parallel: true, tests: [] }],
  };
}

function dockerfile(labels: Record<string, string>): string {
  const lines = Object.entries(labels).map(([name, value]) => `LABEL ${name}=${value}`);
  const copies = [MANIFESTS, METADATA, SCORECARD].map((folder) => `COPY ${folder} /${folder}/`);
  return `${HEADER}FROM scratch\n\n${lines.join('\n')}\n\n${copies.join('\n')}\n`;
}
