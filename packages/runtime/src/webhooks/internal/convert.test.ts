import type { KubernetesObject } from '@kurator/client';
import { expect, it, vi } from 'vitest';
import { silentLogger } from '../../insight/late-logger.ts';
import { deny } from '../denial.ts';
import { convertAll } from './convert.ts';
import { conversionHook } from './hook.ts';

interface Sized extends KubernetesObject {
  size: number | string;
}

const type = { apiVersion: 'example.com/v1', kind: 'Gadget', plural: 'gadgets', namespaced: true };
const toNumber = (object: KubernetesObject) => {
  const size = Number((object as Sized).size);
  if (Number.isNaN(size)) throw deny('size', 'must be a number');
  return { size };
};
const hook = conversionHook(type, {
  v1alpha1: { toStorage: toNumber, fromStorage: (object) => ({ size: String((object as Sized).size) }) },
  v1beta1: { toStorage: toNumber, fromStorage: (object) => ({ size: `${(object as Sized).size}.0` }) },
  v0: {
    toStorage: () => expect.unreachable('secret=s3cr3t'),
    fromStorage: (object) => ({ metadata: { name: 'other', labels: { was: object.apiVersion } } }),
  },
});
const logger = { ...silentLogger, error: vi.fn() };

const gadget = (version: string, size: number | string, name = 'a'): Sized => ({
  apiVersion: `example.com/${version}`,
  kind: 'Gadget',
  metadata: { name, namespace: 'b', uid: '1', labels: { x: 'y' } },
  size,
});
const answer = (desired: string, ...objects: Sized[]) => {
  const request = { uid: 'u1', desiredApiVersion: `example.com/${desired}`, objects };
  const { response } = convertAll(hook, request, logger) as {
    response: { uid: string; result: { status: string; message?: string }; convertedObjects?: Sized[] };
  };
  expect(response.uid).toBe('u1');
  return response;
};

it('converts a mixed list by way of the stored version, and keeps metadata and order', () => {
  const { convertedObjects, result } = answer(
    'v1beta1',
    gadget('v1alpha1', '3'),
    gadget('v1', 4),
    gadget('v1beta1', '5'),
  );
  expect(result).toEqual({ status: 'Success' });
  expect(convertedObjects).toEqual([gadget('v1beta1', '3.0'), gadget('v1beta1', '4.0'), gadget('v1beta1', '5')]);
});

it('lets labels and annotations be changed, and nothing else of the metadata', () => {
  const { metadata } = answer('v0', gadget('v1', 1)).convertedObjects?.[0] ?? gadget('none', 0);
  expect(metadata).toEqual({ name: 'a', namespace: 'b', uid: '1', labels: { was: 'example.com/v1' } });
});

it('fails as a whole, names the objects that can not be converted, and tells why', () => {
  const { result, convertedObjects } = answer('v1', gadget('v1alpha1', '3'), gadget('v1alpha1', 'big', 'bad'));
  expect(convertedObjects).toBeUndefined();
  expect(result).toEqual({
    status: 'Failure',
    message: '1 of 2 objects could not be converted: Gadget b/bad: size: must be a number',
  });
});

it('tells of the first few only', () => {
  const { result } = answer('v1', ...Array.from({ length: 8 }, (_, i) => gadget('v1alpha1', 'big', `g${i}`)));
  expect(result.message).toContain('8 of 8');
  expect(result.message).toContain('Gadget b/g4');
  expect(result.message).not.toContain('Gadget b/g5');
  expect(result.message).toContain('; and 3 more');
});

it('keeps to itself why a conversion broke', () => {
  const { result } = answer('v1', gadget('v0', 1));
  expect(result.message).toContain('under the uid u1');
  expect(result.message).not.toContain('s3cr3t');
  expect(logger.error).toHaveBeenCalled();
});

it('says which versions it does not know', () => {
  expect(answer('v7', gadget('v1', 1)).result.message).toContain(
    'no conversion between example.com/v7 and example.com/v1',
  );
  expect(answer('toString', gadget('v1', 1)).result.message).toContain('no conversion');
});
