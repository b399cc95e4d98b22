import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { healthRequest, servingStatusOf } from './grpc-health.ts';

const frame = (...message: number[]) => Buffer.from([0, 0, 0, 0, message.length, ...message]);

describe('the health request', () => {
  it('is empty for the server as a whole', () => {
    expect(healthRequest('')).toEqual(frame());
  });

  it('names the service', () => {
    expect(healthRequest('a.B')).toEqual(frame(0x0a, 3, 0x61, 0x2e, 0x42));
  });

  it('refuses a name that is none', () => {
    expect(() => healthRequest('x'.repeat(200))).toThrow('service');
  });
});

describe('the health response', () => {
  it.each([
    [frame(), 'UNKNOWN'],
    [frame(0x08, 1), 'SERVING'],
    [frame(0x08, 2), 'NOT_SERVING'],
    [frame(0x08, 3), 'SERVICE_UNKNOWN'],
    // The last one counts, fields of later versions are passed over.
    [frame(0x08, 2, 0x08, 1), 'SERVING'],
    [frame(0x12, 2, 0x61, 0x62, 0x08, 1), 'SERVING'],
    [frame(0x1d, 1, 2, 3, 4, 0x08, 1, 0x21, 1, 2, 3, 4, 5, 6, 7, 8), 'SERVING'],
  ])('%j reads %s', (bytes, status) => {
    expect(servingStatusOf(bytes)).toBe(status);
  });

  it.each([
    ['of another length', Buffer.from([0, 0, 0, 0, 9, 0x08, 1])],
    ['compressed', Buffer.from([1, 0, 0, 0, 2, 0x08, 1])],
    ['too short', Buffer.from([0, 0])],
    ['with an unknown status', frame(0x08, 9)],
    ['cut off in a number', frame(0x08, 0x80)],
    ['cut off in a text', frame(0x12, 9, 0x61)],
    ['of an unknown wire type', frame(0x0b, 1)],
  ])('%s is none', (_, bytes) => {
    expect(servingStatusOf(bytes)).toBeUndefined();
  });

  it('never throws, whatever comes', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void servingStatusOf(Buffer.from(bytes))));
    fc.assert(fc.property(fc.uint8Array({ maxLength: 20 }), (bytes) => void servingStatusOf(frame(...bytes))));
  });
});
