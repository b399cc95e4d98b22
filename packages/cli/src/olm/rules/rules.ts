/** What OLM's documentation asks of a bundle, rule by rule. Pure. */
import type { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import type { Bundle } from '../bundle.ts';
import type { ClusterServiceVersion } from '../cluster-service-version.ts';
import { error, type Finding, unless, warning } from '../finding.ts';
import { crdShape, csvShape, fitted } from '../shape.ts';
import { csvRules } from './csv-rules.ts';
import { kindRules } from './kind-rules.ts';

const PREFIX = 'operators.operatorframework.io.bundle';
const ANNOTATIONS = 'metadata/annotations.yaml';
/** The bundle is kept in a ConfigMap while it is unpacked, compressed; nothing else of this size is likely to fit. */
const LARGEST = 4 * 1024 * 1024;

/** Kinds that OLM can install from a bundle. */
const installable = new Set([
  'ClusterServiceVersion',
  'CustomResourceDefinition',
  'ClusterRole',
  'ClusterRoleBinding',
  'ConfigMap',
  'ConsoleCLIDownload',
  'ConsoleLink',
  'ConsoleQuickStart',
  'ConsoleYAMLSample',
  'PodDisruptionBudget',
  'PriorityClass',
  'PrometheusRule',
  'Role',
  'RoleBinding',
  'Secret',
  'Service',
  'ServiceAccount',
  'ServiceMonitor',
  'VerticalPodAutoscaler',
]);

/** All that is wrong, the worst first. */
export function findingsOf(bundle: Bundle): Finding[] {
  const crds = bundle.crds.map((crd) => ({ crd, ...fitted<CustomResourceDefinition>(crd, crdShape) }));
  const found = [
    ...bundle.unreadable,
    ...annotationRules(bundle),
    ...contentRules(bundle),
    ...crds.flatMap(({ crd, findings }) =>
      findings.map((finding) => ({ ...finding, at: `${crd.kind} ${crd.metadata.name}: ${finding.at}` })),
    ),
    ...bundle.csvs.flatMap((given) => {
      const { value: csv, findings } = fitted<ClusterServiceVersion>(given, csvShape);
      const known = crds.map(({ value }) => value);
      return [...findings, ...csvRules(csv), ...kindRules(csv, known)];
    }),
  ];
  return found.toSorted((a, b) => (a.severity === b.severity ? 0 : a.severity === 'error' ? -1 : 1));
}

function annotationRules({ annotations }: Bundle): Finding[] {
  const said = (name: string) => annotations[`${PREFIX}.${name}`] ?? '';
  const channels = said('channels.v1').split(',').filter(Boolean);
  const demand = (name: string, isRight: boolean, remedy: string) =>
    unless(isRight, error(ANNOTATIONS, `${PREFIX}.${name} is "${said(name)}"`, remedy));
  return [
    ...demand('mediatype.v1', said('mediatype.v1') === 'registry+v1', 'write registry+v1'),
    ...demand('manifests.v1', said('manifests.v1') === 'manifests/', 'write manifests/'),
    ...demand('metadata.v1', said('metadata.v1') === 'metadata/', 'write metadata/'),
    ...demand('package.v1', said('package.v1') !== '', "write the operator's name"),
    ...demand('channels.v1', channels.length > 0, 'name at least one channel, such as stable'),
    ...demand(
      'channel.default.v1',
      channels.includes(said('channel.default.v1')) || (said('channel.default.v1') === '' && channels.length === 1),
      `name one of the channels: ${channels.join(', ') || 'there is none'}`,
    ),
  ];
}

function contentRules({ csvs, objects, size }: Bundle): Finding[] {
  const strange = objects.filter(({ object }) => !installable.has(object.kind));
  const names = objects.map(({ object: { kind, metadata } }) => `${kind} ${metadata.name}`);
  const doubled = new Set(names.filter((name, i) => names.indexOf(name) !== i));
  return [
    ...unless(
      csvs.length === 1,
      error('manifests', `there are ${csvs.length} ClusterServiceVersions`, 'a bundle has exactly one'),
    ),
    ...strange.map(({ file, object }) =>
      error(file, `OLM can't install a ${object.kind}`, 'let the operator make it, or leave it out'),
    ),
    ...[...doubled].map((name) => error('manifests', `${name} is there twice`, 'remove one of them')),
    ...unless(
      size <= LARGEST,
      warning('manifests', `the manifests have ${Math.round(size / 1024)} KiB`, 'shorten descriptions of definitions'),
    ),
  ];
}
