/** Which tag is newer than which, by what a policy says of them. */
import semver from 'semver';

/** What of `spec.policy` is given: one of these. */
export interface Policy {
  readonly semver?: { readonly range: string } | undefined;
  readonly numerical?: object | undefined;
  readonly alphabetical?: object | undefined;
  readonly newestBuild?: object | undefined;
  readonly digest?: { readonly tag: string } | undefined;
}

/** What is known of builds: when the image of a tag was made, in milliseconds since 1970. */
export type Builds = ReadonlyMap<string, number>;

/** The place of a tag in the order; not there where it has none, and why. */
export type Place<Key = unknown> = { readonly key: Key } | { readonly why: string };

/** An order of tags. */
export interface Order<Key = unknown> {
  /** @param text What the filter has taken out of the tag. */
  place(text: string, tag: string): Place<Key>;
  /** Positive where the first is newer, 0 where neither is. */
  compare(a: Key, b: Key): number;
  /** Whether it may be offered at all; it may run without. */
  admits(key: Key): string | undefined;
}

const anything = () => undefined;

/** The order of a policy; that of `digest` has none, for it follows one tag. */
export function orderOf(policy: Policy, builds: Builds = new Map()): Order | undefined {
  if (policy.semver) return bySemver(policy.semver.range) as Order;
  if (policy.numerical) return byNumber as Order;
  if (policy.alphabetical) return byText as Order;
  if (policy.newestBuild) return byBuild(builds) as Order;
  return undefined;
}

/** A version; also `v1.2` and `2`, which people write and the specification does not know. */
export function versionOf(text: string): semver.SemVer | undefined {
  const short = /^v?(\d{1,9})(?:\.(\d{1,9}))?$/.exec(text);
  return semver.parse(short ? `${short[1]}.${short[2] ?? 0}.0` : text) ?? undefined;
}

export const rangeOf = (text: string): semver.Range | undefined =>
  semver.validRange(text) === null ? undefined : new semver.Range(text);

function bySemver(text: string): Order<semver.SemVer> {
  const range = rangeOf(text);
  return {
    place: (text) => {
      const key = versionOf(text);
      return key ? { key } : { why: `${text} is no semantic version` };
    },
    compare: (a, b) => a.compare(b),
    admits: (version) => (range?.test(version) ? undefined : `it is not in the range ${text}`),
  };
}

/** Digits and perhaps a fraction, of any length: a time in milliseconds and a commit's number are both exact. */
const byNumber: Order<{ readonly whole: string; readonly fraction: string }> = {
  place: (text) => {
    const [, whole, fraction = ''] = /^0*(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
    return whole === undefined ? { why: `${text} is no number` } : { key: { whole, fraction } };
  },
  compare: (a, b) =>
    a.whole.length - b.whole.length ||
    compareTexts(a.whole, b.whole) ||
    compareTexts(a.fraction.replace(/0+$/, ''), b.fraction.replace(/0+$/, '')),
  admits: anything,
};

const byText: Order<string> = { place: (key) => ({ key }), compare: compareTexts, admits: anything };

function byBuild(builds: Builds): Order<number> {
  return {
    place: (_, tag) => {
      const key = builds.get(tag);
      return key === undefined ? { why: 'its image does not say when it was built' } : { key };
    },
    compare: (a, b) => a - b,
    admits: anything,
  };
}

/** By code units: the same everywhere, whatever the machine's language. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
