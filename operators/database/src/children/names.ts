/** What everything of a cluster is called. */
import type { PostgresCluster } from '../resources.ts';

export const LABEL = 'database.kurator.sh/cluster';
/** On the pods of instances: `primary` or `replica`. */
export const ROLE = 'database.kurator.sh/role';
/** On a cluster: a switchover is asked for by writing the name of an instance there. */
export const SWITCHOVER = 'database.kurator.sh/switchover';

export const DATABASE_PORT = 5432;
/** Brains ask each other there. */
export const BRAIN_PORT = 8010;

type Named = Pick<PostgresCluster, 'metadata'>;

export const labelsOf = ({ metadata }: Named) => ({
  'app.kubernetes.io/name': 'postgresql',
  'app.kubernetes.io/instance': metadata.name,
  [LABEL]: metadata.name,
});

export const instanceName = ({ metadata }: Named, serial: number) => `${metadata.name}-${serial}`;
/** Undefined for what is no instance of the cluster. */
export function serialOf({ metadata }: Named, instance: string): number | undefined {
  const rest = instance.startsWith(`${metadata.name}-`) ? instance.slice(metadata.name.length + 1) : '';
  return /^[1-9][0-9]*$/.test(rest) ? Number(rest) : undefined;
}

export const superuserSecretOf = ({ metadata }: Named) => `${metadata.name}-superuser`;
export const appSecretOf = ({ metadata }: Named) => `${metadata.name}-app`;
/** What instances know of each other: the password of replication, and what brains show. */
export const internalSecretOf = ({ metadata }: Named) => `${metadata.name}-internal`;
/** Of the account that brains use, its role, and the Lease that says who is the primary. */
export const ownName = ({ metadata }: Named) => metadata.name;
/** Gives each instance a name of its own. */
export const peerServiceOf = ({ metadata }: Named) => `${metadata.name}-instances`;
export const hostOf = (cluster: Named, instance: string) =>
  `${instance}.${peerServiceOf(cluster)}.${cluster.metadata.namespace}.svc`;
