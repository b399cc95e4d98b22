import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Condition, UntypedObject } from '@kurator/client';
import type { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import type { DatabaseCluster } from '../../test/fixtures/database-cluster.types.ts';
import { TeamQuota } from '../../test/fixtures/team-quota.types.ts';
import { crdOf, type ObjectOf, quantity, resource, resourceFromCrd, typesFromCrd } from '../index.ts';

const folder = join(import.meta.dirname, '../../test/fixtures');
const fixture = (name: string) => readFileSync(join(folder, name), 'utf8');
const crdIn = (name: string): CustomResourceDefinition => JSON.parse(fixture(`${name}.json`));

describe('typesFromCrd', () => {
  // What is compared with is compiled, linted and formatted with the rest of the repository.
  it.each(['site-certificate', 'database-cluster', 'team-quota'])('writes the types of %s', (name) => {
    expect(typesFromCrd(crdIn(name))).toBe(fixture(`${name}.types.ts`));
  });

  it('writes types that say what the CRD says', () => {
    type Spec = DatabaseCluster['spec'];
    expectTypeOf<Spec['instances']>().toEqualTypeOf<number>();
    expectTypeOf<Spec['postgres-version']>().toEqualTypeOf<15 | 16 | 17 | undefined>();
    expectTypeOf<Spec['podTemplate']>().toEqualTypeOf<UntypedObject | undefined>();
    expectTypeOf<NonNullable<DatabaseCluster['status']>['conditions']>().toEqualTypeOf<Condition[] | undefined>();
    expectTypeOf<ObjectOf<typeof TeamQuota>['spec']>().toEqualTypeOf<TeamQuota['spec']>();
    expect(TeamQuota).toMatchObject({ plural: 'teamquotae', namespaced: false });
  });

  it('writes other versions and imports when asked to', () => {
    const source = typesFromCrd(crdIn('site-certificate'), { version: 'v1beta1', importFrom: '@kurator/sdk' });
    expect(source).toContain("from '@kurator/sdk'");
    expect(source).toContain("resourceType<SiteCertificate>('pki.example.org/v1beta1', 'SiteCertificate')");
  });

  it('writes the types of a declared resource back', () => {
    const Shop = resource({
      group: 'example.com',
      version: 'v1',
      kind: 'Shop',
      scope: 'Cluster',
      description: 'Sells things.',
      spec: z.object({
        size: z.enum(['s', 'l']).default('s').describe('How large it is.'),
        memory: quantity().optional(),
        shelves: z.array(z.object({ name: z.string(), full: z.boolean().nullable() })),
      }),
      status: z.object({ sold: z.int() }),
    });
    expect(
      typesFromCrd(crdOf(Shop)),
    ).toBe(`// Types of shops.example.com, version v1, made from its CustomResourceDefinition: do not edit.
import { type Condition, type KubernetesObject, resourceType } from '@kurator/client';

/** Sells things. */
export interface Shop extends KubernetesObject {
  spec: ShopSpec;
  status?: ShopStatus;
}
export const Shop = resourceType<Shop>('example.com/v1', 'Shop', { namespaced: false });

export interface ShopSpec {
  /** How large it is. "s" unless given. */
  size?: 's' | 'l';
  memory?: number | string;
  shelves: ShopSpecShelve[];
}

export interface ShopSpecShelve {
  name: string;
  full: boolean | null;
}

export interface ShopStatus {
  sold?: number;
  /** What is true of the object, each type once. */
  conditions?: Condition[];
  /** The generation that the status speaks about. */
  observedGeneration?: number;
}
`);
  });
});

describe('resourceFromCrd', () => {
  it('is a resource type of the stored version', () => {
    expect(resourceFromCrd(crdIn('site-certificate'))).toMatchObject({
      apiVersion: 'pki.example.org/v1',
      kind: 'SiteCertificate',
      plural: 'sitecertificates',
      namespaced: true,
      subresources: ['status'],
      shortNames: ['scert'],
      schema: { required: ['spec'] },
    });
  });

  it('is what was declared, after the round trip', () => {
    const App = resource({ group: 'example.com', version: 'v1', kind: 'App', spec: z.object({ a: z.string() }) });
    const { apiVersion, kind, plural, namespaced } = App;
    expect(resourceFromCrd(crdOf(App))).toMatchObject({ apiVersion, kind, plural, namespaced });
  });

  it('refuses versions that are not there, and names those that are', () => {
    expect(() => resourceFromCrd(crdIn('site-certificate'), { version: 'v9' })).toThrow(
      'sitecertificates.pki.example.org has no version v9; it has v1beta1, v1',
    );
  });
});
