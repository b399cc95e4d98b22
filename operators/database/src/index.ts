/** Clusters of PostgreSQL: made, grown, shrunk, and kept at hand, from one declaration. Who is the primary the instances find out themselves. */
import {
  type AuthorContext,
  type AuthorResult,
  isAlreadyExists,
  Lease,
  operator,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  Role,
  RoleBinding,
  Secret,
  Service,
  ServiceAccount,
} from '@kurator/sdk';
import { accountOf, roleBindingOf, roleOf } from './children/access.ts';
import { claimOf, podOf } from './children/instance.ts';
import { internalSecretOf, LABEL, labelsOf, ownName, ROLE, SWITCHOVER } from './children/names.ts';
import { secretManifests } from './children/secrets.ts';
import { budgetOf, serviceManifests } from './children/services.ts';
import { Coordinator } from './coordinate.ts';
import { DESIRED } from './instance/lease-record.ts';
import { look } from './look.ts';
import { ownImage } from './own-image.ts';
import { type Plan, plan } from './plan.ts';
import { PostgresCluster } from './resources.ts';
import { statusOf } from './status.ts';

export { PostgresCluster } from './resources.ts';

/** How long nothing is looked at while all is well: what changes at the API server comes by itself, how far replicas are does not. */
const IDLE = '3s';
/** How soon what was waited for is looked at again. */
const SOON = '500ms';

const coordinator = new Coordinator();

export const database = operator({ name: 'database-operator' })
  .controller(PostgresCluster, { timeout: '1m' })
  .owns(Pod, { labels: LABEL })
  .owns(PersistentVolumeClaim, { labels: LABEL })
  .owns(Secret, { labels: LABEL })
  .owns(Service, { labels: LABEL })
  .owns(ServiceAccount, { labels: LABEL })
  .owns(Role, { labels: LABEL })
  .owns(RoleBinding, { labels: LABEL })
  .owns(Lease, { labels: LABEL })
  .owns(PodDisruptionBudget, { labels: LABEL })
  .uses(Secret, ['get', 'create'])
  .uses(Pod, ['get', 'patch'])
  .uses(PostgresCluster, ['patch'])
  // Nobody can grant what he may not do: brains read and write their Lease.
  .uses(Lease, ['get', 'update'])
  .reconcile(reconcile);

async function reconcile(cluster: PostgresCluster, context: AuthorContext): Promise<AuthorResult<PostgresCluster>> {
  const { requeue } = context;
  const seen = await look(cluster, context);
  const planned = plan(seen.situation);
  if (!cluster.spec.paused) await carryOut(cluster, planned, context);
  // Also of a cluster that is paused: what is left alone is what it is made of, not who leads it.
  const waits = (await coordinator.pass(cluster, seen, planned, context)) ?? planned.waits;
  const told = statusOf(cluster, seen, waits);
  tell(cluster, told.status.primary ?? '', told.status.epoch ?? 0, context);
  await forgetSwitchover(cluster, told.status.primary, context);
  return { ...told, ...requeue(waits ? SOON : IDLE) };
}

async function carryOut(cluster: PostgresCluster, planned: Plan, context: AuthorContext): Promise<void> {
  const { apply, remove, owned, client, signal, event } = context;
  await keepSecrets(cluster, context);
  await apply(ServiceAccount, accountOf(cluster));
  await apply(Role, roleOf(cluster));
  await apply(RoleBinding, roleBindingOf(cluster));
  for (const service of serviceManifests(cluster)) await apply(Service, service);
  await apply(PodDisruptionBudget, budgetOf(cluster));
  const annotations = { [DESIRED]: JSON.stringify({ parameters: cluster.spec.parameters ?? {} }) };
  await apply(Lease, { metadata: { name: ownName(cluster), labels: labelsOf(cluster), annotations } });

  for (const { name, role } of planned.roles) {
    const pod = owned(Pod).find(({ metadata }) => metadata.name === name);
    if (!pod || pod.metadata.labels?.[ROLE] === role) continue;
    const { namespace } = pod.metadata;
    await client.patch(Pod, { name, namespace }, { metadata: { labels: { [ROLE]: role } } }, { signal });
  }
  const image = planned.start.length > 0 ? await ownImage(client) : '';
  for (const { name, hasClaim } of planned.start) {
    // A claim whose instance has data is never made anew: an empty one in its place would have forgotten what it has promised.
    if (!hasClaim) await apply(PersistentVolumeClaim, claimOf(cluster, name));
    await apply(Pod, podOf(cluster, name, image));
    event('Normal', 'InstanceStarted', `starts ${name}`);
  }
  for (const { name, why } of planned.stop) {
    if (await remove(Pod, name)) event('Normal', 'InstanceStopped', `stops the pod of ${name}: ${why}`);
  }
  for (const name of planned.discard) {
    await remove(Pod, name);
    await remove(PersistentVolumeClaim, name);
    event('Normal', 'InstanceRemoved', `${name} leaves, with its volume`);
  }
}

/** A wish that was granted: kept, it would lead back there after the next failover. */
async function forgetSwitchover(
  cluster: PostgresCluster,
  primary: string | undefined,
  { client, signal }: AuthorContext,
) {
  const { name, namespace, annotations } = cluster.metadata;
  if (primary === undefined || annotations?.[SWITCHOVER] !== primary) return;
  await client.patch(
    PostgresCluster,
    { name, namespace },
    { metadata: { annotations: { [SWITCHOVER]: null } } } as never,
    { signal },
  );
}

/** Made where there are none, as the API server says: by a cache that lags others would be made over them. */
async function keepSecrets(cluster: PostgresCluster, { client, get }: AuthorContext): Promise<void> {
  const { namespace = '', name, uid = '' } = cluster.metadata;
  if (get(Secret, { name: internalSecretOf(cluster), namespace }) && cluster.status?.systemId) return;
  const { apiVersion, kind } = PostgresCluster;
  const ownerReferences = [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }];
  for (const manifest of secretManifests(cluster)) {
    if (get(Secret, { name: manifest.metadata.name ?? '', namespace })) continue;
    const metadata = { ...manifest.metadata, namespace, ownerReferences };
    await client.create(Secret, { ...manifest, metadata }).catch((error) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }
}

/** Said once for each: whoever looks later reads it in the status. */
function tell({ status }: PostgresCluster, primary: string, epoch: number, { event, log }: AuthorContext): void {
  if (!primary || (status?.primary === primary && status.epoch === epoch)) return;
  const text = status?.primary ? `${primary} is the primary after ${status.primary}` : `${primary} is the primary`;
  log.info(text, { epoch });
  event('Normal', 'PrimaryChosen', `${text}, in epoch ${epoch}`);
}
