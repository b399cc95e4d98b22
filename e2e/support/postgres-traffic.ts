/** Many connections that write to PostgreSQL through its Service, as an application does, and know what they were told was written. */
import { type Client, Pod, waitFor } from '@kurator/client';
import { type Cluster, eventually } from '@kurator/testenv';
import { kubectl } from './kubectl.ts';
import { POSTGRES_REPOSITORY, POSTGRES_VERSION } from './postgres-image.ts';

const NAME = 'writers';
const namespace = 'default';
const PSQL = `/usr/lib/postgresql/${POSTGRES_VERSION}/bin/psql`;

/**
 * A connection for each write. What was told with a warning does not count: a wait for replicas that was cut short says COMMIT too. One
 * line for each that was acknowledged.
 */
const script = (writers: number) => `
ask() { timeout 5 ${PSQL} "$URI?connect_timeout=2" -qAtc "$1" 2>&1; }
until ask 'create table if not exists written (id text primary key)'; do sleep 0.2; done
write() {
  i=0
  while [ ! -e /tmp/stop ]; do
    i=$((i + 1))
    if out=$(ask "insert into written values ('$1-$i')") && [ -z "$out" ]; then echo "acknowledged $1-$i"; else sleep 0.2; fi
    sleep 0.1
  done
}
for writer in $(seq ${writers}); do write $writer & done
wait
exec sleep infinity
`;

export class PostgresTraffic {
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  /** `secret`: the one that the operator makes for applications. */
  static async start(client: Client, options: { secret: string; writers: number }): Promise<PostgresTraffic> {
    await client.create(Pod, {
      metadata: { name: NAME, namespace },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: 'writers',
            image: `${POSTGRES_REPOSITORY}:${POSTGRES_VERSION}`,
            command: ['sh', '-c', script(options.writers)],
            env: [{ name: 'URI', valueFrom: { secretKeyRef: { name: options.secret, key: 'uri' } } }],
          },
        ],
      },
    });
    const isRunning = ({ status }: Pod) => status?.phase === 'Running';
    await waitFor(client, Pod, { name: NAME, namespace }, isRunning, { description: 'to run', timeout: 60_000 });
    return new PostgresTraffic(client);
  }

  /** Resolves when so many writes have been acknowledged. */
  async until(count: number): Promise<void> {
    const isEnough = async () => (await this.#acknowledged()).length >= count;
    await eventually(async () => (await isEnough()) || Promise.reject(new Error(`not ${count} yet`)), {
      timeout: 90_000,
      interval: 500,
    });
  }

  /** Resolves when so many more than now were. */
  async untilMore(count: number): Promise<void> {
    await this.until((await this.#acknowledged()).length + count);
  }

  /** Ends the writing, and reads everything. */
  async check(cluster: Cluster): Promise<{ acknowledged: number; missing: string[] }> {
    await kubectl(cluster, ['exec', NAME, '--', 'touch', '/tmp/stop']);
    const read = `timeout 20 ${PSQL} "$URI?connect_timeout=2" -Atc 'select id from written'`;
    // Nobody writes any more once two readings of what was acknowledged are the same.
    let before = -1;
    const acknowledged = await eventually(
      async () => {
        const seen = await this.#acknowledged();
        const isQuiet = seen.length === before;
        before = seen.length;
        if (!isQuiet) throw new Error('somebody still writes');
        return seen;
      },
      { timeout: 60_000, interval: 6000 },
    );
    const written = new Set((await kubectl(cluster, ['exec', NAME, '--', 'sh', '-c', read])).trim().split('\n'));
    return { acknowledged: acknowledged.length, missing: acknowledged.filter((id) => !written.has(id)) };
  }

  async #acknowledged(): Promise<string[]> {
    const log = await this.#client.logs({ name: NAME, namespace });
    return log.split('\n').flatMap((line) => line.match(/^acknowledged (\S+)$/)?.[1] ?? []);
  }
}
