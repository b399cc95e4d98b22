import { describe, expect, it } from 'vitest';
import { bundleOf } from '../olm/bundle.ts';
import { bundleFiles } from '../olm/bundle-files.ts';
import { exampleSource } from '../olm/example-source.ts';
import { bundleTests } from './bundle-tests.ts';
import type { Example, Subject } from './subject.ts';

function subjectOf(source = exampleSource): Subject {
  const files = bundleFiles(source).map(({ path, text }) => ({ file: path, text: text ?? '' }));
  const manifests = files.filter(({ file }) => file.startsWith('manifests/'));
  const bundle = bundleOf(manifests, files.find(({ file }) => file.startsWith('metadata/'))?.text ?? '');
  const examples = source.samples as readonly Example[];
  return { name: 'garden-operator', bundle, csv: bundle.csvs[0], examples, shipped: [], evidence: {} };
}

const results = (subject: Subject) => Object.fromEntries(bundleTests.map(({ id, run }) => [id, run(subject)]));
const withSpec = (spec: object | undefined) => {
  const [sample] = exampleSource.samples;
  return subjectOf({ ...exampleSource, samples: [{ ...sample, spec } as never] });
};

describe('the six tests', () => {
  it('have the names that operator-sdk gives them', () => {
    expect(bundleTests.map(({ id }) => id)).toEqual([
      'basic-check-spec',
      'olm-bundle-validation',
      'olm-crds-have-validation',
      'olm-crds-have-resources',
      'olm-spec-descriptors',
      'olm-status-descriptors',
    ]);
  });

  it('are all met by a bundle with nothing left to wish for', () => {
    for (const { result, reason } of Object.values(results(subjectOf())))
      expect(`${result}: ${reason}`).toMatch(/^met/);
  });

  it('want an example, and a spec in it', () => {
    const without = subjectOf({ ...exampleSource, samples: [] });
    expect(results(without)['basic-check-spec']).toMatchObject({ result: 'unmet', reason: 'there are no examples' });
    expect(results(withSpec(undefined))['basic-check-spec']?.reason).toBe('Garden sample has none');
  });

  it('name a field of an example that the definition does not know, however deep', () => {
    const { reason } = results(withSpec({ soil: { kind: 'clay', dept: 3 } }))['olm-crds-have-validation'] ?? {};
    expect(reason).toBe('Garden sample: spec.soil.dept');
  });

  it('name what has no descriptor', () => {
    const subject = subjectOf();
    const [owned] = subject.csv?.spec.customresourcedefinitions.owned ?? [];
    if (!owned) throw new Error('there is one');
    owned.specDescriptors = owned.specDescriptors.filter(({ path }) => path !== 'replicas');
    owned.statusDescriptors = [];
    owned.resources = [];
    const found = results(subject);
    expect(found['olm-spec-descriptors']).toMatchObject({ result: 'unmet', reason: 'Garden sample: spec.replicas' });
    expect(found['olm-status-descriptors']?.reason).toContain('Garden: status.phase');
    expect(found['olm-crds-have-resources']?.reason).toBe('Garden names nothing');
  });

  it('take errors of the bundle for what they are, and warnings too', () => {
    const listing = { ...exampleSource.listing, keywords: [] };
    expect(results(subjectOf({ ...exampleSource, listing }))['olm-bundle-validation']).toMatchObject({
      result: 'met',
      reason: 'no errors, 1 warnings',
    });
    const nobody = { ...exampleSource.listing, provider: { name: '' } };
    expect(results(subjectOf({ ...exampleSource, listing: nobody }))['olm-bundle-validation']).toMatchObject({
      result: 'unmet',
      remedy: 'set "author" in package.json',
    });
  });
});
