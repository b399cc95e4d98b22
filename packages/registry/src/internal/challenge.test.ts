import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseChallenges } from './challenge.ts';

it.each([
  [
    ['Bearer realm="https://auth.docker.io/token",service="registry.docker.io",scope="repository:library/web:pull"'],
    [
      [
        'bearer',
        { realm: 'https://auth.docker.io/token', service: 'registry.docker.io', scope: 'repository:library/web:pull' },
      ],
    ],
  ],
  [['Basic realm="a \\"quoted\\" name, with a comma"'], [['basic', { realm: 'a "quoted" name, with a comma' }]]],
  [['BASIC'], [['basic', {}]]],
  [
    ['Negotiate, Basic realm=x'],
    [
      ['negotiate', {}],
      ['basic', { realm: 'x' }],
    ],
  ],
  [
    ['Bearer realm="a", Basic realm="b"'],
    [
      ['bearer', { realm: 'a' }],
      ['basic', { realm: 'b' }],
    ],
  ],
  [
    ['Bearer realm="a"', 'Basic realm="b"'],
    [
      ['bearer', { realm: 'a' }],
      ['basic', { realm: 'b' }],
    ],
  ],
  [[''], []],
])('reads %j', (headers, expected) => {
  expect(parseChallenges(headers).map(({ scheme, parameters }) => [scheme, parameters])).toEqual(expected);
});

it('never throws, and always ends', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom(...'Ba=", \\\t') }), { maxLength: 3 }), (headers) => {
      for (const { scheme } of parseChallenges(headers)) expect(scheme).not.toBe('');
    }),
  );
});
