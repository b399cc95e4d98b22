import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { crdOf, duration, immutable, quantity, resource } from './index.ts';

const names = { group: 'example.com', version: 'v1', kind: 'MyApp' };
const spec = z.object({
  replicas: z.int32().min(0).default(1),
  image: z.string(),
  tags: z.array(z.string()).optional(),
});
const status = z.object({
  replicas: z.int32(),
  selector: z.string(),
  startedAt: z.iso.datetime(),
  phase: z.enum(['Good', 'Bad']),
});

function versionsOf(options: Partial<Parameters<typeof resource>[0]>) {
  return crdOf(resource({ ...names, spec, status, ...options })).spec.versions[0];
}

describe('crdOf', () => {
  it('makes the CRD of MyApp', () => {
    const MyApp = resource({ ...names, spec, status, shortNames: ['ma'], categories: ['all'], description: 'An app.' });
    const crd = crdOf(MyApp, { labels: { a: 'b' } });
    expect(crd.metadata).toEqual({ name: 'myapps.example.com', labels: { a: 'b' } });
    const { versions, ...rest } = crd.spec;
    expect(rest).toEqual({
      group: 'example.com',
      scope: 'Namespaced',
      names: {
        kind: 'MyApp',
        listKind: 'MyAppList',
        plural: 'myapps',
        singular: 'myapp',
        shortNames: ['ma'],
        categories: ['all'],
      },
    });
    expect(versions[0]?.schema?.openAPIV3Schema).toMatchObject({ description: 'An app.', required: ['spec'] });
  });

  it('makes the same for the same, for drift checks', () => {
    const declare = () => crdOf(resource({ ...names, spec, status }));
    expect(JSON.stringify(declare())).toBe(JSON.stringify(declare()));
  });

  it('requires nothing at the top of a status, and adds conditions and observedGeneration', () => {
    const schema = versionsOf({})?.schema?.openAPIV3Schema?.properties?.status;
    expect(schema?.required).toBeUndefined();
    expect(Object.keys(schema?.properties ?? {})).toEqual([
      ...Object.keys(status.shape),
      'conditions',
      'observedGeneration',
    ]);
    expect(schema?.properties?.conditions).toMatchObject({
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    });
  });

  it('lets a spec be left out where nothing in it has to be given', () => {
    const defaultOf = (of: z.ZodType<object>) =>
      versionsOf({ spec: of })?.schema?.openAPIV3Schema?.properties?.spec?.default;
    expect(defaultOf(z.object({ a: z.int32().default(1) }))).toEqual({});
    expect(defaultOf(spec)).toBeUndefined();
  });

  it('limits names, and puts rules on the whole object', () => {
    const rule = { rule: "self.metadata.name != 'x'", message: 'not x' };
    const schema = versionsOf({ name: z.string().max(40), rules: [rule] })?.schema?.openAPIV3Schema;
    expect(schema?.properties?.metadata).toEqual({
      type: 'object',
      properties: { name: { type: 'string', maxLength: 40 } },
    });
    expect(schema?.['x-kubernetes-validations']).toEqual([rule]);
  });

  it.each([
    [{ spec: z.record(z.string(), z.string()) }, 'spec'],
    [{ status: z.record(z.string(), z.string()) }, 'status'],
  ])('wants objects with named fields: %#', (wrong, path) => {
    expect(() => versionsOf(wrong)).toThrow(expect.objectContaining({ code: 'KUR_SCHEMA_TYPE', path }));
  });

  it('names the field that can not be expressed', () => {
    const at = () => versionsOf({ spec: z.object({ deep: z.array(z.object({ at: immutable(z.string()) })) }) });
    expect(at).toThrow(expect.objectContaining({ path: 'spec.deep[].at' }));
  });
});

describe('columns', () => {
  const columnsOf = (columns: NonNullable<Parameters<typeof resource>[0]['columns']>) =>
    versionsOf({ columns })?.additionalPrinterColumns?.map(({ name, type, jsonPath }) => [name, type, jsonPath]);
  const age = ['Age', 'date', '.metadata.creationTimestamp'];

  it('show the age first, unless it is put elsewhere', () => {
    expect(columnsOf({ Image: '.spec.image' })).toEqual([age, ['Image', 'string', '.spec.image']]);
    expect(columnsOf({ Image: '.spec.image', Age: '.metadata.creationTimestamp' })).toEqual([
      ['Image', 'string', '.spec.image'],
      age,
    ]);
  });

  it('know their types from the schema', () => {
    const columns = {
      R: '.spec.replicas',
      S: '.status.startedAt',
      L: '.metadata.labels.app',
      T: '.spec.tags[0]',
      G: '.metadata.generation',
    };
    expect(
      columnsOf(columns)
        ?.slice(1)
        .map(([, type]) => type),
    ).toEqual(['integer', 'date', 'string', 'string', 'integer']);
  });

  it('show conditions by their type', () => {
    expect(columnsOf({ Ready: { condition: 'Ready' } })?.[1]).toEqual([
      'Ready',
      'string',
      '.status.conditions[?(@.type=="Ready")].status',
    ]);
  });

  it.each([
    [
      '.spec.replcas',
      'columns.X: .spec.replcas leads nowhere: .spec has replicas, image, tags; name a field that is declared',
    ],
    ['spec.replicas', 'columns.X: spec.replicas is no path; write it as .spec.replicas'],
    [
      '.spec.tags',
      "columns.X: .spec.tags is a list; give a path to a value in it, or the type: { path: '.spec.tags', type: 'string' }",
    ],
    [
      '.spec.image.name',
      'columns.X: .spec.image.name leads nowhere: .spec.image has no fields; name a field that is declared',
    ],
  ])('refuse %s, and say why', (path, message) => {
    expect(() => columnsOf({ X: path })).toThrow(message);
  });
});

describe('subresources', () => {
  it('let autoscalers in', () => {
    const scale = { specReplicas: '.spec.replicas', statusReplicas: '.status.replicas', selector: '.status.selector' };
    expect(versionsOf({ scale })?.subresources).toEqual({
      status: {},
      scale: {
        specReplicasPath: '.spec.replicas',
        statusReplicasPath: '.status.replicas',
        labelSelectorPath: '.status.selector',
      },
    });
  });

  it('refuse what is no number', () => {
    const scale = { specReplicas: '.spec.image', statusReplicas: '.status.replicas' };
    expect(() => versionsOf({ scale })).toThrow(
      "scale.specReplicas: .spec.image can't be used here, being of string; name a field of type integer, as .spec.replicas",
    );
  });
});

describe('selectable fields', () => {
  it('are given as paths', () => {
    expect(versionsOf({ selectableFields: ['.spec.image'] })?.selectableFields).toEqual([{ jsonPath: '.spec.image' }]);
    expect(() => versionsOf({ selectableFields: ['.spec.tags[0]'] })).toThrow('selectableFields: .spec.tags[0]');
  });
});

describe('several versions', () => {
  const Plain = resource({ ...names, spec }).withVersion('v1beta1', { spec, served: false, deprecated: 'use v1' });

  it('are not converted where nobody says how', () => {
    const { conversion, versions } = crdOf(Plain).spec;
    expect(conversion).toEqual({ strategy: 'None' });
    expect(versions.map(({ name, served, storage }) => [name, served, storage])).toEqual([
      ['v1', true, true],
      ['v1beta1', false, false],
    ]);
    expect(versions[1]).toMatchObject({ deprecated: true, deprecationWarning: 'use v1' });
  });

  it('are converted by a webhook where somebody does, which must be known', () => {
    const same = { toHub: (object: never) => object, fromHub: (object: never) => object };
    const Converted = resource({ ...names, spec }).withVersion('v2', { spec, convert: same });
    expect(() => crdOf(Converted)).toThrow(expect.objectContaining({ code: 'KUR_SCHEMA_CONVERSION' }));
    const clientConfig = { service: { name: 'webhook', namespace: 'default' } };
    expect(crdOf(Converted, { conversionWebhook: clientConfig }).spec.conversion).toEqual({
      strategy: 'Webhook',
      webhook: { clientConfig, conversionReviewVersions: ['v1'] },
    });
  });
});

it('bounds of amounts must be amounts', () => {
  expect(() => quantity({ min: 'much' })).toThrow(expect.objectContaining({ code: 'KUR_SCHEMA_BOUND' }));
  expect(() => duration({ max: '1d' })).toThrow(expect.objectContaining({ code: 'KUR_SCHEMA_BOUND' }));
});
