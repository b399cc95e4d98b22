/** The brain of one instance, as a process: its connections, its door, and its end. */
import { createClient, loadConfig } from '@kurator/sdk';
import { BRAIN_PORT, DATABASE_PORT } from '../children/names.ts';
import { readIdentity } from '../identity.ts';
import { Database } from '../postgres/database.ts';
import { GuardControl } from '../postgres/guard-control.ts';
import { places } from '../postgres/places.ts';
import { Brain } from './brain.ts';
import { LeaseStore } from './lease-store.ts';
import { serve } from './peers.ts';
import { PromiseFile } from './promise-file.ts';
import { readToken } from './roles.ts';

/** Until it has let go of the lease, where its postgres is gone. */
const LAST_WORDS = 2000;

export async function runBrain(): Promise<void> {
  const identity = readIdentity();
  const client = createClient(await loadConfig());
  const guard = new GuardControl(places.guard);
  const brain = new Brain({
    identity,
    guard,
    database: new Database({ data: places.data, socket: { folder: places.guard, port: DATABASE_PORT } }),
    store: new LeaseStore(client, identity.lease, identity.namespace),
    promise: await PromiseFile.open(places.promise),
    sharedFolder: places.guard,
    secretsFolder: places.secrets,
    addressOf: (instance) => {
      const host = `${instance}${identity.host}`;
      return { host, port: DATABASE_PORT, brain: `http://${host}:${BRAIN_PORT}` };
    },
    log: (message, fields = {}) => {
      process.stdout.write(
        `${JSON.stringify({ time: new Date().toISOString(), level: 'info', message, instance: identity.instance, ...fields })}\n`,
      );
    },
  });
  const server = await serve(BRAIN_PORT, {
    token: async () => await readToken(places.secrets),
    isReady: async () => await brain.isReady(),
    report: async () => await brain.report(),
    freeze: async (request) => await brain.freeze(request),
    grant: async (request) => await brain.grant(request),
  });
  // The database ends before, and its brain sees that: Kubernetes ends what was there first last. A brain that ends alone leaves it alone.
  const leave = () => {
    server.close();
    setTimeout(() => process.exit(0), LAST_WORDS);
  };
  process.once('SIGTERM', leave);
  process.once('SIGINT', leave);
  await brain.run();
}
