import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { convertObject, needsConversion, resource } from './index.ts';

const lost = 'example.com/tag';

const App = resource({
  group: 'example.com',
  version: 'v2',
  kind: 'App',
  spec: z.object({ image: z.string(), tag: z.string() }),
  status: z.object({ ready: z.int() }),
})
  .withVersion('v1', {
    spec: z.object({ image: z.string() }),
    convert: {
      toHub: ({ spec, annotations }) => ({ spec: { image: spec.image, tag: annotations?.[lost] ?? 'latest' } }),
      fromHub: ({ spec, annotations }) => ({
        spec: { image: spec.image },
        annotations: { ...annotations, [lost]: spec.tag },
      }),
    },
  })
  .withVersion('v3', {
    spec: z.object({ reference: z.string() }),
    convert: {
      toHub: ({ spec, status }) => {
        const [image = '', tag = ''] = spec.reference.split(':');
        return { spec: { image, tag }, status };
      },
      fromHub: ({ spec, status }) => ({ spec: { reference: `${spec.image}:${spec.tag}` }, status }),
    },
  })
  .withVersion('v2alpha1', { spec: z.object({ image: z.string(), tag: z.string() }) });

const v3 = {
  apiVersion: 'example.com/v3',
  kind: 'App',
  metadata: { name: 'a', uid: '1', labels: { x: 'y' } },
  spec: { reference: 'nginx:1' },
  status: { ready: 2 },
};

describe('convertObject', () => {
  it('goes by way of the version that the code works with', () => {
    expect(convertObject(App, v3, 'v1')).toEqual({
      apiVersion: 'example.com/v1',
      kind: 'App',
      metadata: { name: 'a', uid: '1', labels: { x: 'y' }, annotations: { [lost]: '1' } },
      spec: { image: 'nginx' },
    });
  });

  it('there and back again loses nothing that the functions keep', () => {
    const there = convertObject(App, v3, 'v1');
    expect(convertObject(App, there, 'v3').spec).toEqual(v3.spec);
  });

  it('changes the apiVersion alone where nobody said more', () => {
    const v2 = convertObject(App, v3, 'v2');
    expect(convertObject(App, v2, 'v2alpha1')).toEqual({ ...v2, apiVersion: 'example.com/v2alpha1' });
    expect(convertObject(App, v3, 'v3')).toEqual(v3);
  });

  it('leaves the object that it was given as it is', () => {
    const before = structuredClone(v3);
    convertObject(App, v3, 'v1');
    expect(v3).toEqual(before);
  });

  it.each([
    [v3, 'v9', 'App has no version v9'],
    [{ ...v3, apiVersion: 'other.com/v3' }, 'v2', 'App has no version other.com/v3'],
  ])('refuses versions that are not declared: %#', (object, version, message) => {
    expect(() => convertObject(App, object, version)).toThrow(message);
  });
});

it('a resource needs conversion where a version says how', () => {
  expect(needsConversion(App)).toBe(true);
  const Same = resource({ group: 'a.b', version: 'v1', kind: 'S', spec: z.object({}) });
  expect(needsConversion(Same.withVersion('v2', { spec: z.object({}) }))).toBe(false);
});
