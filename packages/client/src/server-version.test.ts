import { expect, it } from 'vitest';
import { parseServerVersion, versionSkew } from './server-version.ts';

it.each([
  ['v1.36.3', 1, 36],
  ['v1.35.2-gke.1', 1, 35],
  ['v1.34.0+k3s1', 1, 34],
])('understands %s', (text, major, minor) => {
  expect(parseServerVersion(text)).toEqual({ major, minor, text });
});

it('refuses what is no version', () => {
  expect(() => parseServerVersion('banana')).toThrow('"banana"');
});

it.each([
  ['v1.36.0', undefined],
  ['v1.34.0', undefined],
  ['v1.38.0', undefined],
  ['v1.33.0', /v1.33.0.*made for 1.36.*older/],
  ['v1.39.0', /newer/],
  ['v2.0.0', /newer/],
])('says of %s what to expect', (text, expected) => {
  const skew = versionSkew(parseServerVersion(text));
  if (expected) expect(skew).toMatch(expected);
  else expect(skew).toBeUndefined();
});
