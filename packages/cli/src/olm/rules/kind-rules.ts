/** What a ClusterServiceVersion says of kinds must agree with their definitions. Pure. */
import type { KubernetesObject } from '@kurator/client';
import type { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import type { ClusterServiceVersion, OwnedKind } from '../cluster-service-version.ts';
import { error, type Finding, unless, warning } from '../finding.ts';
import type { Loose } from '../shape.ts';

const OWNED = 'spec.customresourcedefinitions.owned';
const EXAMPLES = 'metadata.annotations.alm-examples';

type Csv = Loose<ClusterServiceVersion>;
type Owned = Loose<OwnedKind>;
type Crd = Loose<CustomResourceDefinition>;

export function kindRules(csv: Csv, crds: readonly Crd[]): Finding[] {
  const owned = csv.spec?.customresourcedefinitions?.owned ?? [];
  const forgotten = crds.filter(({ metadata }) => !owned.some(({ name }) => name === metadata?.name));
  return [
    ...owned.flatMap((kind) => ownedRules(kind, crds)),
    ...forgotten.map(({ metadata }) =>
      error(OWNED, `${metadata?.name} is in the bundle and not owned`, 'list it, or remove its definition'),
    ),
    ...exampleRules(csv, owned),
  ];
}

function ownedRules(owned: Owned, crds: readonly Crd[]): Finding[] {
  const crd = crds.find(({ metadata }) => metadata?.name === owned.name);
  if (!crd) return [error(OWNED, `the definition of ${owned.name} is missing`, 'add it to manifests')];
  const version = crd.spec?.versions?.find(({ name }) => name === owned.version);
  const { kind } = crd.spec?.names ?? {};
  const schema = fieldsOf(version?.schema?.openAPIV3Schema);
  const at = `${OWNED}[${owned.name}]`;
  return [
    ...unless(version, error(at, `its definition has no version ${owned.version}`, 'name one that it has')),
    ...unless(kind === owned.kind, error(at, `its definition calls it ${kind}, not ${owned.kind}`, `write ${kind}`)),
    ...unless(
      fieldsOf(schema.properties).spec,
      warning(at, 'its definition checks nothing of its spec', 'give it a schema'),
    ),
    ...unless(owned.displayName, warning(at, 'it has no name for people', 'set displayName')),
    ...unless(owned.description, warning(at, 'it has no description', 'describe the CRD in its schema')),
    ...unless(owned.resources?.length, warning(at, 'it names nothing that the operator makes', 'list its resources')),
    ...unless(owned.specDescriptors?.length, warning(at, 'no field of its spec is described', 'add descriptors')),
    ...unless(owned.statusDescriptors?.length, warning(at, 'no field of its status is described', 'add descriptors')),
    ...pathRules(at, owned.specDescriptors, fieldsOf(schema.properties).spec, 'spec'),
    ...pathRules(at, owned.statusDescriptors, fieldsOf(schema.properties).status, 'status'),
  ];
}

function pathRules(at: string, descriptors: Owned['specDescriptors'], schema: unknown, part: string): Finding[] {
  if (!schema) return [];
  return (descriptors ?? [])
    .filter(({ path = '' }) => !hasPath(schema, path.replace(/\[\d+\]/g, '').split('.')))
    .map(({ path }) => error(at, `there is no field ${part}.${path}`, 'remove its descriptor, or mend its path'));
}

/** A schema is followed as far as it is one: it may be anything. */
function hasPath(schema: unknown, [name, ...rest]: string[]): boolean {
  if (name === undefined) return true;
  const { items, ...own } = fieldsOf(schema);
  const inner = 'properties' in fieldsOf(items) ? fieldsOf(items) : own;
  if (inner['x-kubernetes-preserve-unknown-fields'] || inner.additionalProperties) return true;
  const properties = fieldsOf(inner.properties);
  return Object.hasOwn(properties, name) && hasPath(properties[name], rest);
}

/** Of an object; none of anything else. */
function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function exampleRules({ metadata }: Csv, owned: readonly Owned[]): Finding[] {
  const examples = parsed(metadata?.annotations?.['alm-examples']);
  if (!examples) return [error(EXAMPLES, 'it is no list of objects in JSON', 'make the bundle again')];
  const groupOf = ({ name = '' }: Owned) => name.slice(name.indexOf('.') + 1);
  const isOf = (kind: Owned) => (example: KubernetesObject) =>
    example.kind === kind.kind && example.apiVersion === `${groupOf(kind)}/${kind.version}`;
  const without = owned.filter((kind) => !examples.some(isOf(kind)));
  const strange = examples.filter((example) => !owned.some((kind) => isOf(kind)(example)));
  return [
    ...without.map((kind) =>
      warning(EXAMPLES, `there is no example of ${kind.kind} ${kind.version}`, 'put one into the folder samples'),
    ),
    ...strange.map(({ apiVersion, kind }) =>
      error(EXAMPLES, `${apiVersion} ${kind} is of no CRD of this operator`, 'remove it from the folder samples'),
    ),
  ];
}

function parsed(text: string | undefined): KubernetesObject[] | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null) ? value : undefined;
  } catch {
    return undefined;
  }
}
