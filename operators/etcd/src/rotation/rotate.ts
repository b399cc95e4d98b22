/**
 * One authority follows another without a failed request: first everybody believes both, then certificates are by the new one, then the
 * old one is forgotten. What is due follows from the Secret of the authority and from what members show and accept at this moment, and is
 * one write; the rest (Secrets, pods) follows from that Secret.
 */
import { leafFromData, type Observed, plan, type Ring, ringData, type Step, take } from '@kurator/pki';
import { type AuthorContext, type ConditionClaim, Secret } from '@kurator/sdk';
import { MADE_FOR, newAuthority, nextCredentials, operatorCredentials, policyOf } from '../children/certificates.ts';
import { authoritySecretOf, clientSecretOf, memberSecretOf } from '../children/names.ts';
import { EtcdClient } from '../database/etcd-client.ts';
import { issuerShownBy } from '../database/handshake.ts';
import type { Look } from '../look.ts';
import type { EtcdCluster } from '../resources.ts';

/** Where it stands. */
export interface Rotation {
  readonly isRunning: boolean;
  readonly message: string;
}

export async function rotate(cluster: EtcdCluster, ring: Ring, look: Look, context: AuthorContext): Promise<Rotation> {
  const { get, client, event, log, signal } = context;
  const { now, formed, listing } = look.situation;
  const { namespace = '' } = cluster.metadata;
  const stored = get(Secret, { name: authoritySecretOf(cluster), namespace });
  // Whatever is decided is decided of what was read: a cache that lags is refused by the API server.
  if (!formed || !stored) return { isRunning: false, message: 'the cluster is being made' };
  // Whoever has no quorum has other troubles, and a member that is restarted then is one more.
  if (!listing) return { isRunning: !isResting(ring), message: 'waits for quorum' };
  const observed = isResting(ring) ? RESTING : await observe(cluster, ring, look, context);
  const policy = policyOf(cluster);
  const { step, waitingFor, concerns } = plan(ring, observed, policy, now);
  const due = isResting(ring) && isAskedFor(cluster, stored) ? 'begin' : step;
  const worries = concerns.map(({ message }) => message);
  if (!due) {
    const waits = waitingFor.length > 0 ? `waits for ${waitingFor.join(', ')}` : 'gives clients time';
    const message = isResting(ring) ? 'one authority, believed by all' : `${stageOf(ring)}: ${waits}`;
    return { isRunning: !isResting(ring), message: [message, ...worries].join('; ') };
  }
  const next = take(due, ring, policy, now, () => newAuthority(cluster, now));
  const annotations = { ...stored.metadata.annotations, ...(due === 'begin' ? madeFor(cluster) : {}) };
  await client.replace(
    Secret,
    { ...stored, metadata: { ...stored.metadata, annotations }, data: ringData(next) },
    { signal },
  );
  log.info(said[due], { step: due });
  event('Normal', 'AuthorityRotated', said[due]);
  return { isRunning: true, message: said[due] };
}

/** What people are told of it. */
export function certificatesOf(rotation: Rotation | undefined): ConditionClaim[] {
  if (!rotation) return [];
  const { isRunning, message } = rotation;
  return [{ type: 'CertificatesReady', status: 'True', reason: isRunning ? 'Rotating' : 'Current', message }];
}

const RESTING: Observed = { verifiers: [], holders: [] };
const isResting = ({ next, previous }: Ring): boolean => !next && !previous;
const isAskedFor = ({ spec }: EtcdCluster, { metadata }: Secret): boolean =>
  spec.tls.authority !== (metadata.annotations?.[MADE_FOR] ?? '');
const madeFor = ({ spec }: EtcdCluster) => ({ [MADE_FOR]: spec.tls.authority });

const stageOf = ({ next }: Ring): string =>
  next ? 'a new authority is made known' : 'certificates by the new authority take the place of those by the old one';
const said: Readonly<Record<Step, string>> = {
  begin: 'a new authority is made known: members are restarted one by one to believe it too',
  announce: 'all members believe the new authority: clients are given time to load it',
  promote: 'the new authority signs from now on, and the key of the old one is destroyed',
  settle: 'no member shows anything by the old authority any more: clients are given time to change what they show',
  retire: 'the old authority is forgotten: members are restarted one by one to believe it no more',
};

/** Of members what they accept and show just now, whatever lies in their Secrets; of clients only what lies there: time does the rest. */
async function observe(cluster: EtcdCluster, ring: Ring, look: Look, context: AuthorContext): Promise<Observed> {
  const { situation, endpoints } = look;
  const { now } = situation;
  const { get, signal } = context;
  const stored = (name: string) => leafFromData(get(Secret, name)?.data)?.pair.certificate;
  const known = nextCredentials(ring, now);
  const prober = known && new EtcdClient(known);
  const own = operatorCredentials(ring, now);
  const running = situation.members.filter(({ name }) => (situation.objects.get(name)?.pod ?? 'absent') !== 'absent');
  const members = await Promise.all(
    running.map(async ({ name }) => {
      const endpoint = endpoints.get(name);
      const accepted = endpoint && prober && (await prober.status(endpoint, signal).catch(() => undefined));
      const shown = endpoint && !prober && (await issuerShownBy(endpoint, own, signal).catch(() => undefined));
      return {
        verifier: { name, trusts: accepted && ring.next ? [ring.next.authority.certificate.keyId] : undefined },
        holder: { name, stored: stored(memberSecretOf(name)), shows: shown ? [shown] : undefined },
      };
    }),
  );
  const given = stored(clientSecretOf(cluster));
  const clients = { name: 'clients', stored: given, shows: given?.issuerKeyId ? [given.issuerKeyId] : undefined };
  return {
    verifiers: members.map(({ verifier }) => verifier),
    holders: [...members.map(({ holder }) => holder), clients],
  };
}
