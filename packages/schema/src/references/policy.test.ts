import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { reference, referencePolicyOf, resource, secretKeyRef, signedBy, unchecked } from '../index.ts';

const names = { group: 'example.com', version: 'v1', kind: 'Backup' };
const policyOf = (fields: z.ZodRawShape, more: object = {}) =>
  referencePolicyOf(resource({ ...names, spec: z.object(fields), ...more }), { labels: { a: 'b' } });
const Secret = { apiVersion: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true };
const checksIn = (fields: z.ZodRawShape) =>
  (policyOf(fields)[0]?.spec?.validations ?? []).filter(({ expression }) => expression.includes('.check('));

describe('a policy of references', () => {
  it('is none where nothing refers to anything, or only what is left out', () => {
    expect(policyOf({ image: z.string() })).toEqual([]);
    expect(policyOf({ from: unchecked(secretKeyRef()) })).toEqual([]);
  });

  it('is for the resource’s own objects, and denies', () => {
    const [policy, binding] = policyOf({ from: secretKeyRef() });
    const metadata = { name: 'references.backups.example.com', labels: { a: 'b' } };
    expect(policy).toMatchObject({ metadata, spec: { failurePolicy: 'Fail' } });
    expect(policy?.spec?.matchConstraints?.resourceRules).toEqual([
      { apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['backups'], operations: ['CREATE', 'UPDATE'] },
    ]);
    expect(binding).toMatchObject({ metadata, spec: { policyName: metadata.name, validationActions: ['Deny'] } });
  });

  it('asks for each field once, for each verb, and in one expression at most once', () => {
    expect(checksIn({ a: secretKeyRef(), b: secretKeyRef().optional() })).toHaveLength(2);
    const both = { to: Secret, verbs: ['get', 'patch'] };
    expect(checksIn({ a: reference(z.string(), both) })).toHaveLength(2);
  });

  it('asks no more often than the server has time for, however many there may be', () => {
    expect(checksIn({ all: z.array(secretKeyRef()) })).toHaveLength(26);
    const lists = {
      a: z.array(secretKeyRef()).max(3),
      b: z.array(reference(z.string(), { to: Secret, verbs: ['patch'] })),
    };
    expect(checksIn(lists)).toHaveLength(26);
    expect(checksIn({ a: z.array(secretKeyRef()).max(3) })).toHaveLength(3);
  });
});

describe('fields that are signed', () => {
  const approval = signedBy(z.object({ approve: z.string(), by: z.string() }).partial(), 'by', ['approve']);

  it('make a policy though nothing is referred to, and ask the authorizer nothing', () => {
    const [policy] = policyOf({ approval });
    expect(policy?.spec?.validations).toHaveLength(1);
    expect(policy?.spec?.validations?.[0]?.message).toContain('spec.approval.by: who sets it or spec.approval.approve');
    expect(checksIn({ approval })).toEqual([]);
  });
});

describe('what can not be asked', () => {
  const refusal = (make: () => unknown) => {
    try {
      return make();
    } catch (error) {
      return error;
    }
  };

  it.each([
    [
      'which object it names',
      () => policyOf({ a: reference(z.object({ id: z.int() }), { to: Secret, verbs: ['get'] }) }),
      'spec.a',
    ],
    ['in which namespace', () => policyOf({ a: secretKeyRef() }, { scope: 'Cluster' }), 'spec.a'],
    [
      'who has set what is in a list',
      () => policyOf({ a: z.array(signedBy(z.object({ by: z.string(), it: z.string() }), 'by', ['it'])) }),
      'spec.a[]',
    ],
    [
      'so many rights',
      () =>
        policyOf({ a: reference(z.string(), { to: Secret, verbs: Array.from({ length: 27 }, (_, at) => `v${at}`) }) }),
      'spec',
    ],
  ])('is said, with what to write: %s', (_, make, path) => {
    expect(refusal(make)).toMatchObject({ code: 'KUR_SCHEMA_REFERENCE', path, remedy: expect.any(String) });
  });
});
