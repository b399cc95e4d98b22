import { describe, expect, it } from 'vitest';
import { sbomOf } from './sbom.ts';

const product = { name: 'web-operator', version: '1.0.0' };
const zod = { name: 'zod', version: '4.0.0', license: 'MIT', purl: 'pkg:npm/zod@4.0.0' };
const scoped = { name: '@scope/thing', version: undefined };

describe('a bill of materials', () => {
  it('names what the product contains', () => {
    const { packages, relationships } = sbomOf(product, [zod, scoped]) as {
      packages: object[];
      relationships: object[];
    };
    expect(packages).toMatchObject([
      { name: 'web-operator', versionInfo: '1.0.0' },
      { SPDXID: 'SPDXRef-Package-1-scope-thing', versionInfo: 'NOASSERTION', licenseDeclared: 'NOASSERTION' },
      { name: 'zod', licenseDeclared: 'MIT', externalRefs: [{ referenceLocator: 'pkg:npm/zod@4.0.0' }] },
    ]);
    expect(relationships).toHaveLength(3);
  });

  it('is the same whatever order things are found in, and another for other things', () => {
    expect(sbomOf(product, [zod, scoped])).toEqual(sbomOf(product, [scoped, zod]));
    expect(sbomOf(product, [zod])).not.toEqual(sbomOf(product, [scoped]));
  });
});
