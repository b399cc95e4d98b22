/** How a page that lists operators shows the fields of a kind: read off its schema. Pure. */
import type { CustomResourceDefinition, JSONSchemaProps } from '@kurator/client/apiextensions/v1';
import type { Descriptor } from './cluster-service-version.ts';

const UI = 'urn:alm:descriptor:com.tectonic.ui';
// Deeper fields are looked up in the documentation; a form of a hundred rows helps nobody.
const DEPTH = 2;

/** Of the newest version that is served. */
export function descriptorsOf(crd: CustomResourceDefinition): { spec: Descriptor[]; status: Descriptor[] } {
  const { spec, status } = schemaOf(crd)?.properties ?? {};
  return { spec: below(spec, 'spec', ''), status: below(status, 'status', '') };
}

/** The version that is stored: the one whose objects people write. */
export function storedVersion(crd: CustomResourceDefinition): CustomResourceDefinition['spec']['versions'][number] {
  const stored = crd.spec.versions.find(({ storage }) => storage);
  if (!stored) throw new Error(`${crd.metadata.name} has no version that is stored`);
  return stored;
}

function schemaOf(crd: CustomResourceDefinition): JSONSchemaProps | undefined {
  return storedVersion(crd).schema?.openAPIV3Schema;
}

type Part = 'spec' | 'status';

function below(schema: JSONSchemaProps | undefined, part: Part, prefix: string): Descriptor[] {
  return Object.entries(schema?.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const isGroup = field.type === 'object' && field.properties !== undefined && looks(name, field, part) === undefined;
    if (isGroup && path.split('.').length < DEPTH) return below(field, part, `${path}.`);
    return [descriptor(path, name, field, part)];
  });
}

function descriptor(path: string, name: string, field: JSONSchemaProps, part: Part): Descriptor {
  const shown = looks(name, field, part);
  return {
    path,
    displayName: titleOf(path),
    ...(field.description ? { description: field.description } : {}),
    ...(shown ? { 'x-descriptors': shown } : {}),
  };
}

/** What the page knows how to show better than as text. */
function looks(name: string, field: JSONSchemaProps, part: Part): string[] | undefined {
  if (part === 'status') {
    if (name === 'conditions') return ['urn:alm:descriptor:io.kubernetes.conditions'];
    return name === 'phase' ? ['urn:alm:descriptor:io.kubernetes.phase'] : undefined;
  }
  if (name === 'replicas') return [`${UI}:podCount`];
  if (name === 'resources' && field.properties?.limits) return [`${UI}:resourceRequirements`];
  if (field.enum) return field.enum.map((value) => `${UI}:select:${String(value)}`);
  if (field.type === 'boolean') return [`${UI}:booleanSwitch`];
  if (field.type === 'integer' || field.type === 'number') return [`${UI}:number`];
  return field.type === 'string' ? [`${UI}:text`] : undefined;
}

/** `recovery.maxTries` is shown as `Recovery Max Tries`. */
export function titleOf(path: string): string {
  const words = path.replaceAll('.', ' ').replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2');
  return words.replaceAll(/(^|\s)([a-z])/g, (_, space: string, letter: string) => space + letter.toUpperCase());
}
