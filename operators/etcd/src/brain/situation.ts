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
  /** The status was lost, and it is written down because it has a volume: whether it votes, quorum has not said since. */
  readonly unconfirmed?: boolean;
  /** Its volume is nobody's when it has left, and stays. */
  readonly keepVolume?: boolean;
}

/** What Kubernetes has of a member. */
export interface MemberObjects {
  /** `ending`: it was told to end, and has not; `failed`: it will never run again. */
  readonly pod: 'absent' | 'starting' | 'running' | 'ending' | 'failed';
  /** Whether the pod is as the spec wants it now; true where there is none. */
  readonly upToDate: boolean;
  readonly claim: boolean;
  /** Its data can't come back, as was seen and not only missed: the API server has no claim, or its node is gone for good. */
  readonly gone: boolean;
  /** The pod begins a cluster of its own data whenever it starts. */
  readonly forced: boolean;
}

/** How far a member's data goes: what it knows to be agreed upon. */
export interface Position {
  /** Of the keys; each write that was acknowledged has one. */
  readonly revision: number;
  /** The highest entry of the log that it knows to be committed. */
  readonly index: number;
}

/**
 * How a cluster whose majority is gone goes on from one survivor. Written down before anything is done about it.
 *
 *     Forcing ──► Restarting ──► Done    Forcing: the survivor begins anew, alone, with what it has.
 *        └──► (called off)               Restarting: once more without that, for it would forget whoever joins.
 */
export interface Recovery {
  readonly stage: 'Forcing' | 'Restarting' | 'Done';
  readonly survivor: string;
  readonly position: Position;
  /** Members whose data is gone. */
  readonly lost: readonly string[];
  /** Members whose data is there, and doesn't go as far: their volumes are kept. */
  readonly leftBehind: readonly string[];
  readonly since: number;
}

/** How room is made in the database, member by member. */
export interface Maintenance {
  readonly reason: 'NoSpace' | 'Request';
  readonly since: number;
  readonly request?: string;
  readonly compacted: boolean;
  /** Members that are defragmented. */
  readonly done: readonly string[];
  readonly finished?: number;
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
  /** Whether to go on from a survivor once a majority is gone for good. */
  readonly recovers: boolean;
  readonly recovery: Recovery | undefined;
  /** Of those who say it, by name; asked only while there is no quorum. */
  readonly positions: ReadonlyMap<string, Position>;
  /** Milliseconds a running member may be silent. */
  readonly replaceAfter: number;
  /** Whether the cluster has ever answered: then it has data. */
  readonly formed: boolean;
  /** Of the first member, where the cluster is to begin with what is in a backup; undefined where it begins empty. */
  readonly seedData?: SeedData | undefined;
  /** Pods of another cluster of this name, from before: clients would be led to both. Looked for before one is begun. */
  readonly leftovers?: readonly string[];
  readonly members: readonly PlannedMember[];
  readonly objects: ReadonlyMap<string, MemberObjects>;
  /** The names of members that answered and know a leader just now. */
  readonly healthy: ReadonlySet<string>;
  /** Undefined where quorum did not answer: then nothing is known of who is in it. */
  readonly listing: Listing | undefined;
  /** Names that may be given to a new member, unused. Drawn before, so that a decision has no chance in it. */
  readonly freshName: string;
  /** Whether etcd refuses writes because a database was full. */
  readonly noSpace: boolean;
  /** The ids of members of whom etcd says that their data is corrupt; `0` where it can't say who is right. */
  readonly corrupt: ReadonlySet<string>;
  /** Those that answer for another cluster, by name: their data is not of this one. */
  readonly foreign: ReadonlySet<string>;
  /** Those whose database is as large as it may be, by name. */
  readonly full: ReadonlySet<string>;
  /** By whatever text a defragmentation was asked for: another text asks for another. */
  readonly request: string | undefined;
  readonly maintenance: Maintenance | undefined;
  /** Why members don't go to the version that is wanted, and what to do. */
  readonly held?: string | undefined;
  readonly now: number;
}

/** How many of so many voters must agree. */
export const quorumOf = (voters: number): number => Math.floor(voters / 2) + 1;

/** Whether it has been silent for as long as members may be. */
export const overdue = (
  { now, replaceAfter }: Pick<Situation, 'now' | 'replaceAfter'>,
  { unhealthySince }: PlannedMember,
): boolean => unhealthySince !== undefined && now - unhealthySince >= replaceAfter;
