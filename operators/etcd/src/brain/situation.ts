/** What is known of a cluster at one moment: plain data, gathered by whoever looks. What is not known is said to be so. */

/**
 * What a member is to be. It is written down before anything is done about it, so that whoever comes after a crash does the same.
 *
 *     Seed ──► Member ◄──► Restarting        Seed: the first, alone. Restarting: its pod is replaced, its data stays.
 *                ▲  │
 *     Joining ───┘  └──► Leaving ──► gone    Joining: a learner first. Leaving: out of the list, then its pod and data go.
 */
export type MemberState = 'Seed' | 'Joining' | 'Member' | 'Restarting' | 'Leaving';

/** One member, as it was written down. */
export interface PlannedMember {
  /** Of its pod, its claim and its Secret; drawn by lot. Its peer URL follows from it, and by that etcd's list is read. */
  readonly name: string;
  readonly state: MemberState;
  /** Why it is in this state, for people. */
  readonly reason?: string;
  /** Since when it gives no answer, in milliseconds since 1970. */
  readonly unhealthySince?: number;
}

/** What Kubernetes has of a member. */
export interface MemberObjects {
  /** `ending`: it was told to end, and has not; `failed`: it will never run again. */
  readonly pod: 'absent' | 'starting' | 'running' | 'ending' | 'failed';
  /** Whether the pod is as the spec wants it now; true where there is none. */
  readonly upToDate: boolean;
  readonly claim: boolean;
}

/** What etcd's own list says of a member. */
export interface ListedMember {
  readonly id: string;
  /** Undefined for one whose peer URL is none that this cluster gives: a stranger. */
  readonly name: string | undefined;
  readonly isLearner: boolean;
}

/** What quorum says. */
export interface Listing {
  readonly members: readonly ListedMember[];
  /** The id of the leader, as the members that answered agree; undefined while there is none, or they don't. */
  readonly leader: string | undefined;
}

/** What has become of the data that the first member is to begin with. `why`: what it waits for, or why not. */
export type SeedData =
  | { readonly is: 'wanted' | 'there' }
  | { readonly is: 'coming'; readonly why: string }
  | { readonly is: 'failed'; readonly why: string; readonly again: boolean };

/** Everything that a decision is made of. */
export interface Situation {
  readonly size: number;
  readonly paused: boolean;
  /** Milliseconds a running member may be silent. */
  readonly replaceAfter: number;
  /** Whether the cluster has ever answered: then it has data. */
  readonly formed: boolean;
  /** Of the first member, where the cluster is to begin with what is in a backup; undefined where it begins empty. */
  readonly seedData?: SeedData | undefined;
  readonly members: readonly PlannedMember[];
  readonly objects: ReadonlyMap<string, MemberObjects>;
  /** The names of members that answered and know a leader just now. */
  readonly healthy: ReadonlySet<string>;
  /** Undefined where quorum did not answer: then nothing is known of who is in it. */
  readonly listing: Listing | undefined;
  /** Names that may be given to a new member, unused. Drawn before, so that a decision has no chance in it. */
  readonly freshName: string;
  readonly now: number;
}

/** How many of so many voters must agree. */
export const quorumOf = (voters: number): number => Math.floor(voters / 2) + 1;
