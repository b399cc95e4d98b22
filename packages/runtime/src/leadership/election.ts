/**
 * Leader election by a Lease of coordination.k8s.io/v1, as Go's client-go does it and together with it: candidates in
 * both languages can share a lease. What ours adds: a leader that can't be sure any more knows it at once (`fence`),
 * and a lease that was given back is taken within milliseconds, because candidates watch it.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Client, ObjectReference } from '@kurator/client';
import { type Clock, systemClock } from '../clock.ts';
import { RuntimeError } from '../error.ts';
import { Campaign } from './campaign.ts';
import type { ElectionEvent, Leadership } from './leadership.ts';
import { type LeaseStore, leaseStore } from './lease-store.ts';
import type { Term, TermContext } from './term.ts';
import { type ElectionTimingOptions, electionTiming } from './timing.ts';

/** Which Lease is campaigned for, as whom, and how patiently. */
export interface LeaderElectionOptions extends ElectionTimingOptions {
  /** Best one of its own: behind a busy client's requests, a renewal may have to queue until it is too late. */
  readonly client: Client;
  /** Name and namespace of the Lease; whoever campaigns for the same one competes. */
  readonly lease: ObjectReference;
  /** Who this is. Two processes must never have the same: hostname and a random part unless given. */
  readonly identity?: string;
  readonly clock?: Clock;
  /** Called for everything that happens; must not throw. */
  readonly report?: (event: ElectionEvent) => void;
}

/** How replicas of an operator agree on who acts. */
export interface LeaderElectionSettings extends ElectionTimingOptions {
  /** Name of the Lease that all replicas share; the manager's name unless given. */
  readonly lease?: string;
  /** Where the Lease is; POD_NAMESPACE or that of the kubeconfig or service account unless given. */
  readonly namespace?: string;
  /** See {@link LeaderElectionOptions.identity}. */
  readonly identity?: string;
}

/** How an election stands, as far as this process knows. */
export interface ElectionState {
  /** `namespace/name` of the Lease. */
  readonly lease: string;
  readonly identity: string;
  readonly leading: boolean;
  /** Who holds the lease, by the last look at it; undefined before the first look, empty when nobody does. */
  readonly holder: string | undefined;
  readonly term: number | undefined;
  /** Milliseconds until this process stops leading if it can't renew. */
  readonly remaining: number;
  /** What went wrong last, if nothing went right since. */
  readonly trouble: unknown;
}

/** A candidate for the lead. */
export interface LeaderElection {
  readonly identity: string;
  /** Waits until this process leads. Rejects with the signal's reason when that fires first; only one at a time. */
  campaign(signal?: AbortSignal): Promise<Leadership>;
  /** Whether this process surely leads at this instant. */
  isLeader(): boolean;
  /** Throws unless this process surely leads at this instant: call it right before each act that only a leader may do. */
  fence(): void;
  state(): ElectionState;
}

/** Makes a candidate; it does nothing before it campaigns. */
export function createLeaderElection(options: LeaderElectionOptions): LeaderElection {
  const { client, lease } = options;
  for (const field of ['name', 'namespace'] as const) {
    if (!lease[field]) {
      throw new RuntimeError('KUR_RUNTIME_INVALID_OPTION', `leader election: lease.${field} is missing`, {
        remedy: 'give the name of a Lease that all replicas share, and the namespace that they run in',
      });
    }
  }
  return electionOn(leaseStore(client, lease), `${lease.namespace}/${lease.name}`, options);
}

/** The same on any store: for tests that need a slow, lossy or forgetful one. */
export function electionOn(
  store: LeaseStore,
  lease: string,
  options: Omit<LeaderElectionOptions, 'client' | 'lease'> & { random?: () => number },
): LeaderElection {
  const { clock = systemClock, identity = `${hostname()}_${randomUUID()}`, random = Math.random } = options;
  let current: Term | undefined;
  let campaigning = false;
  let holder: string | undefined;
  let trouble: unknown;
  const context: TermContext = {
    identity,
    store,
    clock,
    timing: electionTiming(options),
    report(event) {
      if (event.type === 'holder') holder = event.identity;
      if (event.type === 'elected') holder = identity;
      if (event.type === 'trouble') trouble = event.error;
      else if (event.type !== 'ended') trouble = undefined;
      options.report?.(event);
    },
  };

  return {
    identity,

    async campaign(signal) {
      if (campaigning || current?.isLeader()) {
        throw new RuntimeError('KUR_RUNTIME_ALREADY_CAMPAIGNING', `${identity} campaigns or leads already`);
      }
      campaigning = true;
      try {
        const term = await new Campaign(context, random).won(signal);
        current = term;
        context.report({ type: 'elected', leadership: term });
        term.begin();
        return term;
      } finally {
        campaigning = false;
      }
    },

    isLeader: () => current?.isLeader() ?? false,

    fence() {
      if (current) return current.fence();
      throw new RuntimeError('KUR_RUNTIME_NOT_LEADER', `${identity} does not lead: it has not been elected`);
    },

    state: () => ({
      lease,
      identity,
      leading: current?.isLeader() ?? false,
      holder,
      term: current?.term,
      remaining: current?.remaining() ?? 0,
      trouble,
    }),
  };
}
