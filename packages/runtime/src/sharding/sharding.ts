/**
 * Several replicas of an operator share its objects: each key belongs to one of a fixed number of shards, and each shard
 * to one replica. Who has which is agreed on in one table on the API server; docs/designs/0006-sharding.md tells how, and
 * why no key is ever worked on by two.
 */
import { hostname } from 'node:os';
import { type Client, createClient } from '@kurator/client';
import { type Clock, systemClock } from '../clock.ts';
import type { ShardGate } from '../controller/shard-gate.ts';
import { type Duration, parseDuration } from '../duration.ts';
import { RuntimeError } from '../error.ts';
import { type ElectionTimingOptions, electionTiming } from '../leadership/timing.ts';
import type { Runnable } from '../manager/runnable.ts';
import type { ObjectKey } from '../object-key.ts';
import { type GroupStore, groupStore } from './internal/group-store.ts';
import { heldClient } from './internal/holding.ts';
import { Replica } from './internal/replica.ts';
import type { ShardingEvent } from './sharding-event.ts';

/** Who shares, and how patiently. The times are those of a leader election: the same settings for all replicas. */
export interface ShardingOptions extends ElectionTimingOptions {
  /** Where the Leases are kept; connections of its own are made out of its configuration. */
  readonly client: Client;
  /** What the group is called: whoever has the same name and namespace shares. At most 63 letters, digits and dashes. */
  readonly name: string;
  readonly namespace: string;
  /** What this replica's names in the group begin with; the host's name unless given. */
  readonly identity?: string;
  /**
   * How many shards there are; from 1 to 1024, and 64 unless given. Several for each replica, so that they come out even.
   * While others share already, theirs counts.
   */
  readonly shards?: number;
  /** How long work on a shard may go on before it is told to break off, when the shard is handed over; 30 s unless given. */
  readonly drainTimeout?: Duration;
  /** Called for everything that happens; must not throw. */
  readonly report?: (event: ShardingEvent) => void;
  readonly clock?: Clock;
}

/** How a replica stands, as far as it knows. */
export interface ShardingState {
  /** `namespace/name` of the group. */
  readonly group: string;
  /** This replica's name in the group. It is another each time that the replica has to join again. */
  readonly member: string;
  /** Whether it surely is a member at this instant. */
  readonly alive: boolean;
  /** Milliseconds until it stops if it can't renew. */
  readonly remaining: number;
  /** Of all members, in alphabetical order; empty before the table was read. */
  readonly members: readonly string[];
  /** Those that this replica works on. */
  readonly shards: readonly number[];
  /** Those that it is about to hand over. */
  readonly draining: readonly number[];
  /** How many there are in all; undefined before the table was read. */
  readonly count: number | undefined;
  /** What went wrong last, if nothing went right since. */
  readonly trouble: unknown;
}

/** A replica's share. Give it to a manager as `background`, and to controllers and schedules as `shard`. */
export interface Sharding extends Runnable, ShardGate {
  /** Whether work on a key may be begun here and now. */
  owns(key: ObjectKey): boolean;
  /** Throws unless this replica surely has a key at this instant; also while it is about to be handed over. */
  fence(key: ObjectKey): void;
  /**
   * The same client, fenced: what a sharded controller or schedule writes through it is refused once the key that it works
   * on isn't surely this replica's any more, and given up when that would end by itself. What is written outside of them
   * is not looked at.
   */
  client(client: Client): Client;
  state(): ShardingState;
}

const SHARDS = 64;
const MOST_SHARDS = 1024;
const DRAIN_TIMEOUT = '30s';

/** Makes a replica of a group; it joins when it is run. */
export function createSharding(options: ShardingOptions): Sharding {
  const { name, namespace } = options;
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) {
    throw invalid(`name is "${name}"`, 'give one of at most 63 small letters, digits and dashes, such as "myapp"');
  }
  if (!namespace) throw invalid('namespace is missing', 'give the namespace that the replicas run in');
  // Its renewals must not stand in line behind the operator's own requests.
  const own = createClient(options.client.config);
  return shardingOn(groupStore(own, name, namespace), options, () => own.close());
}

/** The same on any store: for tests that need a slow, lossy or forgetful one. */
export function shardingOn(
  store: GroupStore,
  options: Omit<ShardingOptions, 'client'> & { random?: () => number },
  close: () => Promise<void> = async () => {},
): Sharding {
  const { name, namespace, shards = SHARDS, identity = hostname() } = options;
  if (!Number.isInteger(shards) || shards < 1 || shards > MOST_SHARDS) {
    throw invalid(`shards is ${shards}`, `give a whole number from 1 to ${MOST_SHARDS}`);
  }
  let trouble: unknown;
  const replica = new Replica({
    store,
    group: name,
    identity,
    shards,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    timing: electionTiming(options, 'sharding'),
    drainTimeout: parseDuration(options.drainTimeout ?? DRAIN_TIMEOUT, 'sharding: drainTimeout'),
    report(event) {
      trouble = event.type === 'trouble' ? event.error : undefined;
      options.report?.(event);
    },
  });
  const { holdings, membership } = replica;
  const hold = (key: ObjectKey) => {
    const holding = holdings.of(key);
    return holding?.phase === 'held' && membership.isAlive() ? holding : undefined;
  };

  return {
    name: `sharding ${name}`,
    hold,
    owns: (key) => hold(key) !== undefined,
    fence(key) {
      membership.fence();
      const holding = holdings.of(key);
      if (holding) holding.fence();
      else throw new RuntimeError('KUR_RUNTIME_NOT_OWNER', `${key} belongs to another replica`);
    },
    subscribe: (listener) => holdings.subscribe(listener),
    client: heldClient,
    async run(context) {
      await replica.run(context);
      await close();
    },
    async ready(signal) {
      const { promise, reject } = Promise.withResolvers<never>();
      const onAbort = () => reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
      await Promise.race([replica.joined, promise]);
      signal.removeEventListener('abort', onAbort);
    },
    readiness() {
      if (membership.isAlive()) return undefined;
      return trouble instanceof Error ? trouble.message : 'it is not a member of the group at the moment';
    },
    state: () => ({
      group: `${namespace}/${name}`,
      member: membership.name,
      alive: membership.isAlive(),
      remaining: membership.remaining(),
      members: replica.table?.members ?? [],
      shards: holdings.shards('held'),
      draining: holdings.shards('draining', 'drained', 'doubtful'),
      count: replica.table?.owners.length,
      trouble,
    }),
  };
}

function invalid(what: string, remedy: string): RuntimeError {
  return new RuntimeError('KUR_RUNTIME_INVALID_OPTION', `sharding: ${what}`, { remedy });
}
