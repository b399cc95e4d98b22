/** TypeScript source from a CRD: interfaces, and the resource type to use them with. */
import type { CustomResourceDefinition, JSONSchemaProps } from '@kurator/client/apiextensions/v1';
import { pluralOf } from '@kurator/client/notation';
import { versionOfCrd } from './crd-version.ts';
import type { FromCrdOptions } from './resource.ts';
import { pascal, type TypeFile, writeInterface } from './type-text.ts';

/** Which version is meant, and how the source is to look. */
export interface TypesOptions extends FromCrdOptions {
  /** Where the source imports from. `@kurator/client` unless given. */
  importFrom?: string;
}

/**
 * The source of a TypeScript file for the objects of a CRD. It is the same for the same CRD, and formatted, so that it
 * can be checked in and checked for drift.
 */
export function typesFromCrd(crd: CustomResourceDefinition, options: TypesOptions = {}): string {
  const { importFrom = '@kurator/client' } = options;
  const version = versionOfCrd(crd, options.version);
  const kind = pascal(crd.spec.names.kind);
  const file: TypeFile = { interfaces: new Map(), imports: new Set(['KubernetesObject']) };
  writeInterface(file, kind, objectSchema(version.schema?.openAPIV3Schema ?? {}), ' extends KubernetesObject');
  const [own, ...parts] = [...file.interfaces.values()].map(({ text }) => text);
  const names = [...file.imports, 'resourceType'].toSorted((a, b) => a.localeCompare(b, 'en'));
  const imports = names.map((name) => (name === 'resourceType' ? name : `type ${name}`));
  return [
    `// Types of ${crd.metadata.name}, version ${version.name}, made from its CustomResourceDefinition: do not edit.`,
    `import { ${imports.join(', ')} } from '${importFrom}';`,
    '',
    own,
    constant(crd, version.name),
    ...parts.flatMap((part) => ['', part]),
    '',
  ].join('\n');
}

// Every object has these, and their types are known.
const common = ['apiVersion', 'kind', 'metadata'];

function objectSchema(schema: JSONSchemaProps): JSONSchemaProps {
  const own = Object.entries(schema.properties ?? {}).filter(([name]) => !common.includes(name));
  return { ...schema, properties: Object.fromEntries(own) };
}

function constant({ spec }: CustomResourceDefinition, version: string): string {
  const { kind, plural } = spec.names;
  const name = pascal(kind);
  const options = [
    ...(plural === pluralOf(kind) ? [] : [`plural: '${plural}'`]),
    ...(spec.scope === 'Namespaced' ? [] : ['namespaced: false']),
  ];
  const head = `export const ${name} = resourceType<${name}>('${spec.group}/${version}', '${kind}'`;
  if (options.length === 0) return `${head});`;
  const line = `${head}, { ${options.join(', ')} });`;
  return line.length <= 120 ? line : [`${head}, {`, ...options.map((option) => `  ${option},`), '});'].join('\n');
}
