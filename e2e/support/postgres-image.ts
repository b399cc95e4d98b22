/** PostgreSQL for end-to-end tests: Debian's packages as an image on every node. */
import { type Cluster, imageFromPackages } from '@kurator/testenv';

/** What Debian 12 has. */
export const POSTGRES_VERSION = '15';
export const POSTGRES_REPOSITORY = 'postgres.test/postgres';

export async function loadPostgres(cluster: Cluster): Promise<void> {
  const name = `${POSTGRES_REPOSITORY}:${POSTGRES_VERSION}`;
  const { path } = await imageFromPackages([`postgresql-${POSTGRES_VERSION}`], { name });
  await cluster.load(path);
}
