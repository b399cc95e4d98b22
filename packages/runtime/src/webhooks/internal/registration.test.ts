import { describe, expect, it } from 'vitest';
import type { AdmissionOptions } from '../admission.ts';
import { type AdmissionHook, admissionHook, conversionHook } from './hook.ts';
import { conversionFor, type Registrant, registrationMetadata, webhookFor } from './registration.ts';

const gadgets = { apiVersion: 'example.com/v1', kind: 'Gadget', plural: 'gadgets', namespaced: true };
const pods = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
const registrant: Registrant = {
  name: 'shop',
  namespace: 'shop-system',
  address: { service: { name: 'hooks', namespace: 'shop-system', port: 443 } },
  injectCaFrom: undefined,
  temporary: false,
};
const validating = (type = gadgets, options: AdmissionOptions = {}): AdmissionHook =>
  admissionHook('validate', type, () => {}, options);

it('asks about what is created or changed, in whichever version, and refuses when nobody answers', () => {
  expect(webhookFor(validating(), registrant, 'Q0E=')).toEqual({
    name: 'validate.v1.gadgets.example.com',
    admissionReviewVersions: ['v1'],
    clientConfig: {
      service: { name: 'hooks', namespace: 'shop-system', port: 443, path: '/validate/example.com/v1/gadgets' },
      caBundle: 'Q0E=',
    },
    rules: [
      {
        apiGroups: ['example.com'],
        apiVersions: ['v1'],
        operations: ['CREATE', 'UPDATE'],
        resources: ['gadgets'],
        scope: 'Namespaced',
      },
    ],
    matchPolicy: 'Equivalent',
    failurePolicy: 'Fail',
    sideEffects: 'None',
    timeoutSeconds: 10,
    namespaceSelector: {},
    objectSelector: {},
  });
});

it('takes over what the author wants otherwise', () => {
  const hook = validating(gadgets, {
    name: 'quota',
    operations: ['DELETE'],
    subresources: ['status'],
    failurePolicy: 'Ignore',
    timeout: '3s',
    namespaceSelector: { matchLabels: { team: 'a' } },
    exceptNamespaces: ['lab'],
    objectSelector: { matchLabels: { tier: 'x' } },
    matchConditions: [{ name: 'not-us', expression: 'true' }],
    sideEffects: 'NoneOnDryRun',
  });
  expect(webhookFor(hook, { ...registrant, address: { url: 'https://127.0.0.1:9443' } }, undefined)).toMatchObject({
    name: 'quota.validate.v1.gadgets.example.com',
    clientConfig: { url: 'https://127.0.0.1:9443/validate/example.com/v1/gadgets/quota' },
    rules: [{ operations: ['DELETE'], resources: ['gadgets', 'gadgets/status'] }],
    failurePolicy: 'Ignore',
    timeoutSeconds: 3,
    namespaceSelector: {
      matchLabels: { team: 'a' },
      matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['lab'] }],
    },
    objectSelector: { matchLabels: { tier: 'x' } },
    matchConditions: [{ name: 'not-us', expression: 'true' }],
    sideEffects: 'NoneOnDryRun',
  });
});

describe('for kinds that operators themselves are made of', () => {
  it('leaves out its own namespace and kube-system, so that an operator that is down can come back', () => {
    const { namespaceSelector, name } = webhookFor(validating(pods), registrant, undefined);
    expect(name).toBe('validate.v1.pods.core');
    expect(namespaceSelector?.matchExpressions).toEqual([
      { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system', 'shop-system'] },
    ]);
    const deployments = { ...pods, apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' };
    expect(webhookFor(validating(deployments), registrant, undefined).namespaceSelector?.matchExpressions).toHaveLength(
      1,
    );
  });

  it('does as the author says', () => {
    const hook = validating(pods, { exceptNamespaces: [] });
    expect(webhookFor(hook, registrant, undefined).namespaceSelector).toEqual({});
  });
});

it('says whether a mutating webhook wants to be asked again', () => {
  const policy = (options: object) =>
    webhookFor(
      admissionHook('mutate', gadgets, () => {}, options),
      registrant,
      '',
    ).reinvocationPolicy;
  expect(policy({})).toBe('Never');
  expect(policy({ reinvoke: true })).toBe('IfNeeded');
});

it('points a conversion at its path', () => {
  expect(conversionFor(conversionHook(gadgets, {}), registrant, 'Q0E=')).toEqual({
    strategy: 'Webhook',
    webhook: {
      conversionReviewVersions: ['v1'],
      clientConfig: {
        url: null,
        service: {
          ...('service' in registrant.address && registrant.address.service),
          path: '/convert/example.com/gadgets',
        },
        caBundle: 'Q0E=',
      },
    },
  });
});

it('asks cert-manager for its authority where it is to do that', () => {
  expect(registrationMetadata(registrant)).toEqual({ labels: { 'app.kubernetes.io/managed-by': 'shop' } });
  expect(registrationMetadata({ ...registrant, injectCaFrom: 'shop-system/hooks' }).annotations).toEqual({
    'cert-manager.io/inject-ca-from': 'shop-system/hooks',
  });
});

it.each([
  { what: 'a timeout of a minute', declare: () => validating(gadgets, { timeout: '1m' }), says: 'from 1 to 30' },
  { what: 'a timeout of half a second', declare: () => validating(gadgets, { timeout: 500 }), says: 'from 1 to 30' },
  { what: 'a name with a dot', declare: () => validating(gadgets, { name: 'a.b' }), says: '"a.b"' },
  {
    what: 'a conversion of the stored version',
    declare: () => conversionHook(gadgets, { v1: {} as never }),
    says: 'v1 is the stored',
  },
  { what: 'a conversion of pods', declare: () => conversionHook(pods, {}), says: 'Pod' },
])('does not accept $what', ({ declare, says }) => {
  expect(declare).toThrow(
    expect.objectContaining({ code: 'KUR_RUNTIME_BAD_WEBHOOK', message: expect.stringContaining(says) }),
  );
});
