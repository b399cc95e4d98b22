import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Refusal } from './refusal.ts';
import { readAdmissionReview, readConversionReview } from './review.ts';

const object = { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'a', namespace: 'b' } };
const request = {
  uid: 'u1',
  kind: { group: 'example.com', version: 'v1', kind: 'Gadget' },
  operation: 'UPDATE',
  name: 'a',
  namespace: 'b',
  subResource: 'status',
  userInfo: { username: 'ann', uid: '7', groups: ['devs'], extra: { scope: ['x'] } },
  dryRun: true,
  object,
  oldObject: object,
};
const review = (changes: object = {}, outer: object = {}) =>
  JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { ...request, ...changes },
    ...outer,
  });

describe('an admission review', () => {
  it('is read whole', () => {
    expect(readAdmissionReview(review())).toEqual({
      uid: 'u1',
      kind: { group: 'example.com', version: 'v1', kind: 'Gadget' },
      operation: 'UPDATE',
      name: 'a',
      namespace: 'b',
      subresource: 'status',
      user: { username: 'ann', uid: '7', groups: ['devs'], extra: { scope: ['x'] } },
      dryRun: true,
      object,
      oldObject: object,
    });
  });

  it('may lack what the server leaves out', () => {
    const created = { name: undefined, namespace: undefined, subResource: undefined, userInfo: undefined };
    const read = readAdmissionReview(review({ ...created, operation: 'CREATE', oldObject: null, dryRun: undefined }));
    expect(read).toMatchObject({
      name: 'a',
      namespace: undefined,
      subresource: undefined,
      oldObject: undefined,
      dryRun: false,
      user: { username: '', groups: [], extra: {} },
    });
  });

  it.each([
    { what: 'no JSON', body: '{', says: 'JSON' },
    { what: 'null', body: 'null', says: 'JSON object' },
    {
      what: 'another kind',
      body: review({}, { kind: 'ConversionReview' }),
      says: 'AdmissionReview of admission.k8s.io/v1',
    },
    {
      what: 'an old version',
      body: review({}, { apiVersion: 'admission.k8s.io/v1beta1' }),
      says: 'admission.k8s.io/v1',
    },
    { what: 'no request', body: review({}, { request: undefined }), says: 'no request' },
    { what: 'no uid', body: review({ uid: '' }), says: 'uid' },
    { what: 'an unknown operation', body: review({ operation: 'CONNECT' }), says: 'operation' },
    { what: 'no kind', body: review({ kind: 'Gadget' }), says: 'request.kind' },
    { what: 'no object', body: review({ object: null }), says: 'an object' },
    { what: 'a deletion of nothing', body: review({ operation: 'DELETE', oldObject: null }), says: 'an oldObject' },
    { what: 'an object without metadata', body: review({ object: { apiVersion: 'v1', kind: 'X' } }), says: 'metadata' },
    { what: 'an object that is a list', body: review({ object: [] }), says: 'not a Kubernetes object' },
  ])('with $what is refused with HTTP 400', ({ body, says }) => {
    expect(() => readAdmissionReview(body)).toThrow(
      expect.objectContaining({ status: 400, message: expect.stringContaining(says) }),
    );
  });

  it('of any shape is read or refused, and never breaks anything', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...Object.keys(request), 'metadata'), (value, field) => {
        for (const body of [
          JSON.stringify(value),
          review({ [field]: value }),
          review({ object: { ...object, [field]: value } }),
        ]) {
          try {
            readAdmissionReview(body);
          } catch (error) {
            expect(error).toBeInstanceOf(Refusal);
          }
        }
      }),
    );
  });
});

describe('a conversion review', () => {
  const conversion = (changes: object = {}) =>
    JSON.stringify({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      request: { uid: 'u1', desiredAPIVersion: 'example.com/v2', objects: [object], ...changes },
    });

  it('is read whole', () => {
    expect(readConversionReview(conversion())).toEqual({
      uid: 'u1',
      desiredApiVersion: 'example.com/v2',
      objects: [object],
    });
  });

  it.each([
    { objects: {}, says: 'list' },
    { objects: [null], says: 'objects[0]' },
    { desiredAPIVersion: 2, says: 'desiredAPIVersion' },
    { uid: undefined, says: 'uid' },
  ])('with $says wrong is refused with HTTP 400', ({ says, ...changes }) => {
    expect(() => readConversionReview(conversion(changes))).toThrow(
      expect.objectContaining({ status: 400, message: expect.stringContaining(says) }),
    );
  });
});
