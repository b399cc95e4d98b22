/** The bill of materials of an image, as SPDX 2.3: what is in it, of whom, under which licence. Pure: the same each time. */
import { createHash } from 'node:crypto';

/** Something that the image contains. */
export interface Ingredient {
  readonly name: string;
  /** Undefined where nobody knows. */
  readonly version: string | undefined;
  /** An SPDX expression; undefined where nobody says. */
  readonly license?: string | undefined;
  /** See github.com/package-url/purl-spec. */
  readonly purl?: string | undefined;
}

const NO = 'NOASSERTION';
/** The same for every build: what was made when is not what this tells. */
const CREATED = '2000-01-01T00:00:00Z';

/** @param product What the image is of. */
export function sbomOf(product: Ingredient, ingredients: readonly Ingredient[]): object {
  const sorted = [...ingredients].toSorted((a, b) => compare(keyOf(a), keyOf(b)));
  const packages = [product, ...sorted].map(packageOf);
  const digest = createHash('sha256').update(JSON.stringify(packages)).digest('hex');
  const [root] = packages;
  return {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: product.name,
    documentNamespace: `https://kurator.sh/spdx/${encodeURIComponent(product.name)}-${digest}`,
    creationInfo: { created: CREATED, creators: ['Tool: kurator-build'] },
    packages,
    relationships: [
      { spdxElementId: 'SPDXRef-DOCUMENT', relationshipType: 'DESCRIBES', relatedSpdxElement: root?.SPDXID },
      ...packages.slice(1).map(({ SPDXID }) => {
        return { spdxElementId: root?.SPDXID, relationshipType: 'CONTAINS', relatedSpdxElement: SPDXID };
      }),
    ],
  };
}

function packageOf(ingredient: Ingredient, at: number) {
  const { name, version, license, purl } = ingredient;
  const externalRefs = purl
    ? [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl }]
    : undefined;
  return {
    SPDXID: `SPDXRef-Package-${at}-${name.replaceAll(/[^a-zA-Z0-9.-]+/g, '-').replace(/^-/, '')}`,
    name,
    versionInfo: version || NO,
    downloadLocation: NO,
    filesAnalyzed: false,
    licenseConcluded: NO,
    licenseDeclared: license || NO,
    copyrightText: NO,
    ...(externalRefs ? { externalRefs } : {}),
  };
}

function keyOf({ name, version = '' }: Ingredient): string {
  return `${name}\n${version}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
