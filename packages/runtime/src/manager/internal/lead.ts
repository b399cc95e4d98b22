/** Who leads, as a manager sees it: a campaign of its own, or nobody else to compete with. */
import { type Client, createClient, Lease } from '@kurator/client';
import type { Clock } from '../../clock.ts';
import { messageOf, RuntimeError } from '../../error.ts';
import type { EventRecorder } from '../../events/event-recorder.ts';
import type { Check } from '../../insight/check.ts';
import type { Logger } from '../../insight/late-logger.ts';
import {
  createLeaderElection,
  type ElectionState,
  type LeaderElection,
  type LeaderElectionSettings,
} from '../../leadership/election.ts';
import type { ElectionEvent, Leadership } from '../../leadership/leadership.ts';

export interface LeadOptions {
  readonly client: Client;
  readonly name: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: EventRecorder;
  onLost(reason: RuntimeError): void;
}

export interface Lead {
  /** Throws unless this process may act. */
  fence(): void;
  /** Undefined where there is no election. */
  state(): ElectionState | undefined;
  /** Whether the campaign goes as it should. */
  readonly check: Check;
  /** Resolves when this process leads; rejects when the signal fires first. */
  won(signal: AbortSignal): Promise<void>;
  /** Ends it. `release`: nothing acts any more, so another may take over at once. */
  end(release: boolean): Promise<void>;
}

/** The lead of the only replica. */
export const unrivalled: Lead = {
  fence() {},
  state: () => undefined,
  check: { name: 'leader-election', check: () => undefined },
  won: async () => {},
  end: async () => {},
};

export function electedLead(settings: LeaderElectionSettings, options: LeadOptions): Lead {
  const { client, name, clock } = options;
  const reference = { name: settings.lease ?? objectName(name), namespace: namespaceFor(settings, client) };
  // Its renewals must not stand in line behind the operator's own requests.
  const ownClient = createClient(client.config);
  const election = createLeaderElection({
    ...settings,
    client: ownClient,
    lease: reference,
    clock,
    report: (event) => report(event, options, election, reference),
  });
  let campaign: Promise<Leadership | undefined> = Promise.resolve(undefined);
  return {
    fence: () => election.fence(),
    state: () => election.state(),
    check: { name: 'leader-election', check: () => troubleOf(election) },
    async won(signal) {
      const winning = election.campaign(signal);
      campaign = winning.catch(() => undefined);
      await winning;
    },
    async end(release) {
      // It may be won in the very moment in which it is given up.
      const leadership = await campaign;
      if (release) await leadership?.release();
      else leadership?.abandon();
      await ownClient.close();
    },
  };
}

function troubleOf(election: LeaderElection): string | undefined {
  const { trouble } = election.state();
  if (trouble === undefined) return undefined;
  return messageOf(trouble);
}

function report(
  event: ElectionEvent,
  { logger, events, onLost }: LeadOptions,
  { identity }: LeaderElection,
  lease: { name: string; namespace: string },
): void {
  const tell = (action: string, note: string) => {
    const object = { apiVersion: Lease.apiVersion, kind: Lease.kind, metadata: lease };
    events.record(object, { type: 'Normal', reason: 'LeaderElection', action, note });
  };
  switch (event.type) {
    case 'elected':
      logger.info({ identity, term: event.leadership.term }, 'this process leads');
      tell('Acquire', `${identity} became leader`);
      return;
    case 'ended':
      logger[event.lost ? 'error' : 'info']({ identity, reason: event.reason.message }, 'this process no longer leads');
      tell('Release', `${identity} stopped leading`);
      if (event.lost) onLost(event.reason);
      return;
    case 'holder':
      logger.info({ identity, holder: event.identity || undefined }, 'waits for the lead');
      return;
    case 'trouble':
      logger.warn({ error: event.error }, `could not ${event.doing}: will try again`);
      return;
    default:
  }
}

function namespaceFor({ namespace }: LeaderElectionSettings, { config }: Client): string {
  const found = namespace ?? process.env.POD_NAMESPACE ?? config.namespace;
  if (found) return found;
  throw new RuntimeError(
    'KUR_RUNTIME_INVALID_OPTION',
    'leader election: it is not known which namespace the Lease is in',
    {
      remedy: 'give leaderElection.namespace, or set the environment variable POD_NAMESPACE',
    },
  );
}

/** A name like `example.com/operator` is none for a Lease, or any other object. */
export function objectName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9.-]+/g, '-');
}
