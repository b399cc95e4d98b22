import { crdOf, resource } from '@kurator/schema';
import { z } from '@kurator/sdk';
import { describe, expect, it } from 'vitest';
import { servingProblems } from './install.ts';

const crd = crdOf(resource({ group: 'example.com', version: 'v1', kind: 'Garden', spec: z.object({ beds: z.int() }) }));
const established = { type: 'Established', status: 'True' } as const;
const live = (versions = crd.spec.versions, conditions: object[] = [established]) =>
  ({ ...crd, spec: { ...crd.spec, versions }, status: { conditions } }) as never;

describe('a kind', () => {
  it('is served', () => expect(servingProblems(crd, live())).toEqual([]));

  it('is not there, or not established, or not served in a version that the bundle has', () => {
    const older = crd.spec.versions.map((version) => ({ ...version, name: 'v1alpha1' }));
    expect(servingProblems(crd, undefined)).toEqual(['gardens.example.com is not in the cluster']);
    expect(servingProblems(crd, live(undefined, []))).toEqual(['gardens.example.com is not established']);
    expect(servingProblems(crd, live(older))).toEqual(['gardens.example.com is not served as v1']);
  });
});
