/**
 * What was read from a file may be of any form, whatever its type says. Here it is held to a shape: what does not fit is told
 * and left out, so that the rules only ever see what is missing, never what is something else. Pure.
 */
import { error, type Finding } from './finding.ts';

/** What is expected somewhere. Everything may be missing: whether it has to be there is for the rules to say. */
export type Shape =
  | 'text'
  | 'truth'
  | 'anything'
  | { readonly each: Shape }
  | { readonly map: Shape }
  | { readonly fields: Readonly<Record<string, Shape>> };

/** The same of which every field may be missing, however deep. */
export type Loose<T> = T extends readonly (infer Item)[]
  ? Loose<Item>[]
  : T extends object
    ? { readonly [Field in keyof T]?: Loose<T[Field]> | undefined }
    : T;

/** What fits, and what does not. @param at The path of the value; empty for the whole. */
export function fitted<T>(value: unknown, shape: Shape, at = ''): { value: Loose<T>; findings: Finding[] } {
  const findings: Finding[] = [];
  const fit = fitting(value, shape, at, findings) ?? {};
  return { value: fit as Loose<T>, findings };
}

function fitting(value: unknown, shape: Shape, at: string, findings: Finding[]): unknown {
  if (value === undefined || value === null || shape === 'anything') return value ?? undefined;
  const expected = expectedOf(shape);
  const actual = formOf(value);
  if (actual !== expected) {
    findings.push(error(at || 'the object', `it is ${actual}, not ${expected}`, `write ${expected}, or leave it out`));
    return undefined;
  }
  if (typeof shape === 'string') return value;
  if ('each' in shape) {
    const items = (value as unknown[]).map((item, i) => fitting(item, shape.each, `${at}[${i}]`, findings));
    return items.filter((item) => item !== undefined);
  }
  const entries = Object.entries(value).map(([name, field]) => {
    const inner = 'map' in shape ? shape.map : Object.hasOwn(shape.fields, name) ? shape.fields[name] : 'anything';
    return [name, fitting(field, inner ?? 'anything', at ? `${at}.${name}` : name, findings)] as const;
  });
  return Object.fromEntries(entries.filter(([, field]) => field !== undefined));
}

function expectedOf(shape: Exclude<Shape, 'anything'>): string {
  if (shape === 'text') return 'a text';
  if (shape === 'truth') return 'true or false';
  return 'each' in shape ? 'a list' : 'an object';
}

function formOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  const forms: Readonly<Record<string, string>> = { string: 'a text', boolean: 'true or false', object: 'an object' };
  return forms[typeof value] ?? 'a number';
}

const texts: Shape = { each: 'text' };
const rules: Shape = { each: { fields: { verbs: texts, resources: texts, apiGroups: texts } } };
const permissions: Shape = { each: { fields: { serviceAccountName: 'text', rules } } };
const descriptors: Shape = { each: { fields: { path: 'text', displayName: 'text' } } };
const container: Shape = {
  fields: { name: 'text', image: 'text', resources: { fields: { requests: { map: 'anything' } } } },
};
const pod: Shape = { fields: { serviceAccountName: 'text', containers: { each: container } } };
const deployment: Shape = {
  fields: { name: 'text', spec: { fields: { template: { fields: { spec: pod } } } } },
};
const ownedKind: Shape = {
  fields: {
    name: 'text',
    version: 'text',
    kind: 'text',
    displayName: 'text',
    description: 'text',
    resources: { each: 'anything' },
    specDescriptors: descriptors,
    statusDescriptors: descriptors,
  },
};

/** Of a ClusterServiceVersion, as far as the rules look. */
export const csvShape: Shape = {
  fields: {
    metadata: { fields: { name: 'text', annotations: { map: 'text' } } },
    spec: {
      fields: {
        displayName: 'text',
        description: 'text',
        version: 'text',
        replaces: 'text',
        minKubeVersion: 'text',
        keywords: texts,
        provider: { fields: { name: 'text' } },
        maintainers: { each: { fields: { name: 'text', email: 'text' } } },
        links: { each: { fields: { name: 'text', url: 'text' } } },
        icon: { each: { fields: { base64data: 'text', mediatype: 'text' } } },
        installModes: { each: { fields: { type: 'text', supported: 'truth' } } },
        customresourcedefinitions: { fields: { owned: { each: ownedKind } } },
        install: {
          fields: {
            strategy: 'text',
            spec: {
              fields: { permissions, clusterPermissions: permissions, deployments: { each: deployment } },
            },
          },
        },
      },
    },
  },
};

/** Of a CustomResourceDefinition; its schema may be anything. */
export const crdShape: Shape = {
  fields: {
    metadata: { fields: { name: 'text' } },
    spec: {
      fields: {
        names: { fields: { kind: 'text' } },
        versions: { each: { fields: { name: 'text', schema: { fields: { openAPIV3Schema: 'anything' } } } } },
      },
    },
  },
};

/** Of metadata/annotations.yaml. */
export const annotationsShape: Shape = { fields: { annotations: { map: 'text' } } };
