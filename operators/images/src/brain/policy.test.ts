import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { choose } from './choose.ts';
import type { Filter } from './filter.ts';
import { orderOf, type Policy, versionOf } from './policy.ts';

const tags = ['1.0.0', '1.1.0', 'v1.2', '1.10.0', '2.0.0', '2.1.0-rc.1', 'latest', '20261119', 'main-a1b2-1700000000'];
const newest = (policy: Policy, running: string, filter?: Filter, builds?: ReadonlyMap<string, number>) => {
  const choice = choose({ policy, filter, running, tags: [...tags, running], builds });
  return choice.is === 'known' ? choice.newer : choice.why;
};

describe('a policy', () => {
  it('takes the newest version of a range, and knows what comes after 9', () => {
    expect(newest({ semver: { range: '>=1.0 <2' } }, '1.0.0')).toEqual(['1.10.0', 'v1.2', '1.1.0']);
    expect(newest({ semver: { range: '*' } }, '1.0.0')).toEqual(['20261119', '2.0.0', '1.10.0', 'v1.2', '1.1.0']);
  });

  it('leaves what comes before a release alone, unless the range names it', () => {
    expect(newest({ semver: { range: '^2.0.0' } }, '2.0.0')).toEqual([]);
    expect(newest({ semver: { range: '^2.0.0-0' } }, '2.0.0')).toEqual([]);
    expect(newest({ semver: { range: '>=2.1.0-0 <3' } }, '2.0.0')).toEqual(['2.1.0-rc.1']);
  });

  it('goes on from a version outside of its range, and never back into it', () => {
    expect(newest({ semver: { range: '>=2 <3' } }, '1.0.0')).toEqual(['2.0.0']);
    expect(newest({ semver: { range: '<2' } }, '2.0.0')).toEqual([]);
  });

  it('orders numbers that a pattern has taken out, of any length', () => {
    const filter = { pattern: '^main-[0-9a-f]+-(?P<at>[0-9]+)$', extract: '$at' };
    expect(newest({ numerical: {} }, 'main-ffff-999999999', filter)).toEqual(['main-a1b2-1700000000']);
    const order = orderOf({ numerical: {} });
    const key = (text: string) => {
      const place = order?.place(text, text);
      return place && 'key' in place ? place.key : undefined;
    };
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.bigInt({ min: 0n, max: 10n ** 40n }), (a, b) => {
        expect(Math.sign(order?.compare(key(`00${a}`), key(String(b))) ?? 9)).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
    );
    expect(order?.compare(key('1.50'), key('1.5'))).toBe(0);
    expect(order?.compare(key('1.45'), key('1.5'))).toBeLessThan(0);
  });

  it('orders texts as they are, the same on every machine', () => {
    const filter = { pattern: '^[0-9]{8}$' };
    expect(newest({ alphabetical: {} }, '20251231', filter)).toEqual(['20261119']);
  });

  it('takes what was built last, whatever it is called', () => {
    const builds = new Map([
      ['1.0.0', 30],
      ['latest', 40],
      ['2.0.0', 20],
    ]);
    expect(newest({ newestBuild: {} }, '1.0.0', undefined, builds)).toEqual(['latest']);
  });

  it('reads versions as people write them', () => {
    expect(versionOf('v1.2')?.version).toBe('1.2.0');
    expect(versionOf('3')?.version).toBe('3.0.0');
    expect(versionOf('1.2.3.4')).toBeUndefined();
    expect(versionOf('latest')).toBeUndefined();
  });
});

describe('a choice', () => {
  const policy = { semver: { range: '<2' } };

  it('has a reason for each tag', () => {
    const filter = { pattern: '^v?(?P<v>[0-9.]+)$', extract: '$v', exclude: '^v' };
    const { reasons } = choose({ policy, filter, running: '1.1.0', tags: [...tags, '../x'] });
    expect(Object.fromEntries(reasons.map(({ tag, why }) => [tag, why]))).toMatchObject({
      '1.10.0': 'it is the newest, and newer than 1.1.0',
      '1.1.0': 'it runs',
      '1.0.0': 'it is older than 1.1.0, which runs',
      'v1.2': 'spec.filter.exclude matches it',
      '2.0.0': 'it is not in the range <2',
      latest: 'spec.filter.pattern does not match it',
      '../x': 'it is no tag that a pod could name',
    });
    expect(reasons).toHaveLength(tags.length + 1);
  });

  it.each([
    ['the list is empty', '1.0.0', [], 'does not list 1.0.0'],
    ['the list lacks what runs', '1.0.0', ['1.1.0', '1.2.0'], 'does not list 1.0.0'],
    ['what runs has no place in the order', 'latest', ['latest', '1.0.0'], 'latest runs, and has no place'],
    ['what runs has no tag', undefined, ['1.0.0'], 'by its digest alone'],
  ])('is unknown where %s', (_, running, tags, why) => {
    const choice = choose({ policy, running, tags });
    expect(choice).toMatchObject({ is: 'unknown', why: expect.stringContaining(why) });
  });

  it('does not depend on the order of the list', () => {
    const subset = fc.shuffledSubarray(tags.filter((tag) => tag !== '1.0.0'));
    fc.assert(
      fc.property(subset, (some) => {
        const list = ['1.0.0', ...some];
        const one = choose({ policy, running: '1.0.0', tags: list });
        const other = choose({ policy, running: '1.0.0', tags: list.toReversed() });
        expect(one.is === 'known' && one.newer).toEqual(other.is === 'known' && other.newer);
      }),
    );
  });
});
