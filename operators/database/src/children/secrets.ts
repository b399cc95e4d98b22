/** Passwords: made once, by chance, and never told anywhere but in their Secrets. */
import { randomBytes } from 'node:crypto';
import type { Manifest, Secret } from '@kurator/sdk';
import type { PostgresCluster } from '../resources.ts';
import { appSecretOf, DATABASE_PORT, internalSecretOf, labelsOf, superuserSecretOf } from './names.ts';

const password = () => randomBytes(24).toString('base64url');

/** By name. Each is made where there is none, and never made over. */
export function secretManifests(cluster: PostgresCluster): readonly Manifest<Secret>[] {
  const { bootstrap } = cluster.spec;
  return [
    secret(cluster, superuserSecretOf(cluster), login(cluster, 'postgres', 'postgres')),
    secret(cluster, appSecretOf(cluster), login(cluster, bootstrap.owner, bootstrap.database)),
    secret(cluster, internalSecretOf(cluster), { replication: password(), token: password() }),
  ];
}

/** With the keys that applications mount by their names, as bindings of services have them. */
function login({ metadata }: PostgresCluster, username: string, database: string) {
  const secretWord = password();
  const host = `${metadata.name}-rw.${metadata.namespace}.svc`;
  const port = String(DATABASE_PORT);
  const uri = `postgresql://${username}:${secretWord}@${host}:${port}/${database}`;
  return { username, password: secretWord, host, port, database, uri };
}

function secret(cluster: PostgresCluster, name: string, values: Readonly<Record<string, string>>): Manifest<Secret> {
  const data = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  );
  return { metadata: { name, labels: labelsOf(cluster) }, type: 'Opaque', data };
}
