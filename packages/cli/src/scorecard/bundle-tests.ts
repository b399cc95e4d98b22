/** The six tests that operator-sdk calls basic and OLM, by their names there: what a bundle must say. Pure. */
import type { KubernetesObject } from '@kurator/client';
import type { CustomResourceDefinition, JSONSchemaProps } from '@kurator/client/apiextensions/v1';
import type { Descriptor, OwnedKind } from '../olm/cluster-service-version.ts';
import { findingsOf } from '../olm/rules/rules.ts';
import type { BundleTest } from './check.ts';
import { met, metUnless, type Outcome, unmet } from './outcome.ts';
import type { Example, Subject } from './subject.ts';

export const bundleTests: readonly BundleTest[] = [
  {
    id: 'basic-check-spec',
    title: 'every example has a spec',
    run: ({ examples }) =>
      ofExamples(examples, ({ spec }, name) => (isObject(spec) ? [] : [`${name} has none`]), 'have a spec'),
  },
  {
    id: 'olm-bundle-validation',
    title: 'OLM takes the bundle',
    run({ bundle }) {
      const findings = findingsOf(bundle);
      const errors = findings.filter(({ severity }) => severity === 'error');
      const well = `no errors, ${findings.length} warnings`;
      return metUnless(
        errors.map(({ at, message }) => `${at}: ${message}`),
        well,
        errors[0]?.remedy,
      );
    },
  },
  {
    id: 'olm-crds-have-validation',
    title: 'the definitions know every field of the examples',
    run({ examples, bundle }) {
      const strange = (example: Example, name: string) => {
        const schema = schemaFor(example, bundle.crds);
        if (!schema) return [`${name} is of a CRD without a schema`];
        return [...unknownFields(example.spec, schema.properties?.spec, 'spec')].map((path) => `${name}: ${path}`);
      };
      return ofExamples(examples, strange, 'have only fields that their definitions check', 'mend samples or schema');
    },
  },
  {
    id: 'olm-crds-have-resources',
    title: 'every CRD says what the operator makes for it',
    run: (subject) =>
      ofKinds(subject, ({ resources, kind }) => (resources?.length ? [] : [`${kind} names nothing`]), 'list resources'),
  },
  {
    id: 'olm-spec-descriptors',
    title: 'every field of the examples’ specs has a descriptor',
    run(subject) {
      const missing = (example: Example, name: string) => {
        const described = ownedOf(example, subject)?.specDescriptors;
        return undescribed(Object.keys(example.spec ?? {}), described).map((field) => `${name}: spec.${field}`);
      };
      return ofExamples(subject.examples, missing, 'have descriptors for all fields', 'kurator bundle writes them');
    },
  },
  {
    id: 'olm-status-descriptors',
    title: 'every field of the CRDs’ status has a descriptor',
    run(subject) {
      const missing = (owned: OwnedKind) => {
        const crd = subject.bundle.crds.find(({ metadata }) => metadata.name === owned.name);
        const version = crd?.spec.versions.find(({ name }) => name === owned.version);
        // Examples have no status: nobody writes one.
        const fields = Object.keys(version?.schema?.openAPIV3Schema?.properties?.status?.properties ?? {});
        if (fields.length === 0) return [`${owned.kind} has no status`];
        return undescribed(fields, owned.statusDescriptors).map((field) => `${owned.kind}: status.${field}`);
      };
      return ofKinds(subject, missing, 'describe their status');
    },
  },
];

function ofExamples(
  examples: readonly Example[],
  problemsOf: (example: Example, name: string) => string[],
  well: string,
  remedy?: string,
): Outcome {
  if (examples.length === 0) return unmet('there are no examples', 'put one of each CRD into the folder samples');
  const problems = examples.flatMap((example) => problemsOf(example, `${example.kind} ${example.metadata.name}`));
  return metUnless(problems, `${examples.length} examples ${well}`, remedy);
}

function ofKinds({ csv }: Subject, problemsOf: (owned: OwnedKind) => string[], well: string): Outcome {
  const owned = csv?.spec?.customresourcedefinitions?.owned ?? [];
  if (owned.length === 0) return met('it has no CRDs of its own');
  return metUnless(owned.flatMap(problemsOf), `${owned.length} CRDs ${well}`, 'kurator bundle writes it');
}

function ownedOf(example: KubernetesObject, { csv }: Subject): OwnedKind | undefined {
  return csv?.spec?.customresourcedefinitions?.owned?.find(({ kind }) => kind === example.kind);
}

/** A descriptor of a field describes it; so do those of all that is below it. */
function undescribed(fields: readonly string[], descriptors: readonly Descriptor[] = []): string[] {
  return fields.filter((field) => !descriptors.some(({ path }) => path.split(/[.[]/)[0] === field));
}

function schemaFor(
  { apiVersion = '', kind }: Example,
  crds: readonly CustomResourceDefinition[],
): JSONSchemaProps | undefined {
  const [group, version] = apiVersion.split('/');
  const crd = crds.find(({ spec }) => spec.group === group && spec.names.kind === kind);
  return crd?.spec.versions.find(({ name }) => name === version)?.schema?.openAPIV3Schema;
}

function* unknownFields(value: unknown, schema: JSONSchemaProps | undefined, path: string): Generator<string> {
  if (!schema) yield path;
  else if (Array.isArray(value)) {
    const items = schema.items as JSONSchemaProps | undefined;
    for (const [at, item] of value.entries()) yield* unknownFields(item, items, `${path}[${at}]`);
  } else if (isObject(value) && !schema['x-kubernetes-preserve-unknown-fields']) {
    const others = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
    for (const [name, field] of Object.entries(value)) {
      yield* unknownFields(field, schema.properties?.[name] ?? (others as JSONSchemaProps), `${path}.${name}`);
    }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
