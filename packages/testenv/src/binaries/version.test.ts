import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareVersions, defaultVersion, etcdVersion, parseVersion } from './version.ts';

describe('parseVersion', () => {
  it.each([
    ['1.36', '1.36.3'],
    ['v1.36', '1.36.3'],
    ['1.35', '1.35.4'],
    ['1.34', '1.34.4'],
    ['v1.36.3', '1.36.3'],
    [' 1.30.1 ', '1.30.1'],
    ['1.37.0-beta.1', '1.37.0-beta.1'],
  ])('takes %j as %s', (text, version) => {
    expect(parseVersion(text)).toBe(version);
  });

  it.each(['', 'latest', '1', '1.99', '2.0.0', '1.36.x', '1.36.3; rm', '../1.36.3'])(
    'refuses %j and names what is known',
    (text) => {
      expect(() => parseVersion(text)).toThrow(
        expect.objectContaining({
          code: 'KUR_TESTENV_UNKNOWN_VERSION',
          remedy: expect.stringContaining('1.35 (1.35.4)'),
        }),
      );
    },
  );

  it('takes any exact version at its word', () => {
    fc.assert(
      fc.property(fc.nat(99), fc.nat(99), (minor, patch) => {
        expect(parseVersion(`v1.${minor}.${patch}`)).toBe(`1.${minor}.${patch}`);
      }),
    );
  });

  it('knows the default', () => {
    expect(parseVersion(defaultVersion)).toBe(defaultVersion);
  });
});

describe('compareVersions', () => {
  const version = fc.tuple(fc.nat(40), fc.nat(40), fc.nat(40));

  it('orders as numbers do, and not as text', () => {
    fc.assert(
      fc.property(version, version, (a, b) => {
        const asNumber = ([x, y, z]: [number, number, number]) => x * 10_000 + y * 100 + z;
        const expected = Math.sign(asNumber(a) - asNumber(b));
        expect(Math.sign(compareVersions(a.join('.'), b.join('.')))).toBe(expected);
      }),
    );
  });

  it('takes a missing patch for zero', () => {
    expect(compareVersions('1.26', '1.26.0')).toBe(0);
  });
});

it('goes to the newest known etcd for a Kubernetes that it does not know', () => {
  expect([etcdVersion('1.35.2'), etcdVersion('1.40.0')]).toEqual(['3.6.5', '3.6.8']);
});
