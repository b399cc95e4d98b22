/** What may come of a decision. Each is done once and may be done twice: it comes to the same. */
import type { Maintenance, PlannedMember, Recovery } from './situation.ts';

/** As etcd calls what makes it refuse to serve: a full database, or data that differs. */
export type Alarm = 'NOSPACE' | 'CORRUPT';

/** One thing to do, or to wait for. */
export type Step =
  /** Writes down that there is to be such a member, or what becomes of it: nothing else, so that it is known before it is done. */
  | {
      readonly do: 'plan';
      readonly member: PlannedMember;
      /** Only once quorum has agreed to a write. */
      readonly afterWrite?: true;
      readonly why: string;
    }
  /** Forgets a member of which nothing is left. */
  | { readonly do: 'forget'; readonly name: string; readonly why: string }
  /** Makes the pod, its claim and its certificate. `begin`: it is the first, and has nobody to join. */
  | {
      readonly do: 'start';
      readonly name: string;
      readonly begin: boolean;
      /** Alone, with the data that it has: for one survivor, after `recover`. A copy of its data is made before. */
      readonly force?: true;
      readonly why: string;
    }
  /** Makes the claim, and has the data of a backup put into it; `again`: what a try before has left is made room of first. */
  | { readonly do: 'restore'; readonly name: string; readonly again: boolean; readonly why: string }
  /** Deletes the pod, and nothing else of it. */
  | { readonly do: 'stop'; readonly name: string; readonly why: string }
  /** Deletes the claim and the certificate of one that is off the list; `keep`: the claim is let go of, and stays. */
  | { readonly do: 'discard'; readonly name: string; readonly keep?: boolean; readonly why: string }
  /** Writes down how the cluster goes on from one survivor; once that is done, that the others are left behind. */
  | { readonly do: 'recover'; readonly recovery: Recovery; readonly why: string }
  /** Writes down that it does not. */
  | { readonly do: 'call-off'; readonly why: string }
  /** Asks etcd to list it as a learner. */
  | { readonly do: 'add'; readonly name: string; readonly why: string }
  | { readonly do: 'promote'; readonly name: string; readonly id: string; readonly why: string }
  | { readonly do: 'remove'; readonly name: string; readonly id: string; readonly why: string }
  | {
      readonly do: 'move-leader';
      readonly from: string;
      readonly to: string;
      readonly toId: string;
      readonly why: string;
    }
  /** Writes down that room is to be made, or that it is done. */
  | { readonly do: 'maintain'; readonly maintenance: Maintenance; readonly why: string }
  /** Forgets what keys were before; written down once it is done, as the next is. */
  | { readonly do: 'compact'; readonly maintenance: Maintenance; readonly why: string }
  | { readonly do: 'defragment'; readonly name: string; readonly maintenance: Maintenance; readonly why: string }
  /** Puts out an alarm, so that etcd serves again. */
  | { readonly do: 'disarm'; readonly alarm: Alarm; readonly why: string }
  | {
      readonly do: 'wait';
      readonly why: string;
      readonly concern?: 'quorum' | 'stranger' | 'member' | 'version' | 'space' | 'corrupt';
    }
  | { readonly do: 'nothing'; readonly why: string };
