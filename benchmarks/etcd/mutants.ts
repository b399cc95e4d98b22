/**
 * Operators that are wrong, each in one decision: what judges the true one must find them. They are bundled in the place of the true
 * decision (operator.ts), so they must do without imports, and know of a situation only what they need.
 */

interface Step {
  readonly do: string;
  readonly [field: string]: unknown;
}

interface Situation {
  readonly formed: boolean;
  readonly members: readonly { readonly name: string; readonly state: string }[];
  readonly objects: ReadonlyMap<string, { readonly pod: string; readonly claim: boolean }>;
  readonly listing: { readonly members: readonly { readonly name: string | undefined }[] } | undefined;
  readonly healthy: ReadonlySet<string>;
  readonly freshName: string;
}

/** Whether most members answer. */
const hasQuorum = ({ healthy, listing, members }: Situation) =>
  listing !== undefined && healthy.size > members.length / 2;

type Decide = (situation: Situation) => Step;

interface Mutant {
  readonly words: string;
  /** The scenario in which it must be found. */
  readonly scenario: string;
  decide(situation: Situation, truly: Decide): Step;
}

export const mutants = {
  'adds-first': {
    words: 'adds the new member before it takes the lost one off the list',
    scenario: 'pod-follower',
    decide(situation, truly) {
      const { listing, members, freshName } = situation;
      const step = truly(situation);
      const planned = step.member as { state?: string } | undefined;
      const joining = members.find(({ state }) => state === 'Joining');
      if (joining && listing && !listing.members.some(({ name }) => name === joining.name)) {
        return { do: 'add', name: joining.name, why: 'another is lost' };
      }
      if (step.do !== 'plan' || planned?.state !== 'Leaving' || joining) return step;
      return { do: 'plan', member: { name: freshName, state: 'Joining' }, why: 'another is lost' };
    },
  },
  'ignores-quorum': {
    words: 'deletes the volumes of lost members when there is no quorum',
    scenario: 'two-lost',
    decide(situation, truly) {
      const { formed, members, objects } = situation;
      if (!formed || members.length < 3 || hasQuorum(situation)) return truly(situation);
      const lost = members.find(({ name }) => objects.get(name)?.pod === 'absent' && objects.get(name)?.claim);
      return lost ? { do: 'discard', name: lost.name, why: 'its pod is gone' } : truly(situation);
    },
  },
  'begins-anew': {
    words: 'begins a cluster anew, which has data, when there is no quorum',
    scenario: 'two-lost',
    decide(situation, truly) {
      const { formed, members, objects } = situation;
      if (!formed || members.length < 3 || hasQuorum(situation)) return truly(situation);
      const first = members.find(({ name }) => objects.get(name)?.pod === 'absent');
      if (!first) return truly(situation);
      if (objects.get(first.name)?.claim) return { do: 'discard', name: first.name, why: 'it begins anew' };
      return { do: 'start', name: first.name, begin: true, why: 'it begins anew' };
    },
  },
} satisfies Record<string, Mutant>;

export type MutantName = keyof typeof mutants;

/** What the judge writes down falsely (benchmarks/etcd/judge/judge.go). */
export const falsified = ['acknowledged', 'event'] as const;
