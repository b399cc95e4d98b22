/**
 * The operator of etcd, as the program that is deployed, killed before, during and after each of its writes: it ends where it ends
 * undisturbed. The members are simulated, with what etcd refuses: on real ones it is `npm run bench -- etcd --only pod-crashes`.
 */
import { type Client, installCrds } from '@kurator/sdk';
import { everyCrash, sharedClient } from '@kurator/testenv';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { etcd } from '../src/index.ts';
import { crashLives } from './support/crash-lives.ts';
import { furnish, type SimulatedMembers, simulateMembers } from './support/simulated-members.ts';

let client: Client;
let members: SimulatedMembers;

beforeAll(async () => {
  client = await sharedClient();
  await installCrds(client, etcd.resources);
  members = await simulateMembers(client);
});
afterAll(async () => {
  await members?.[Symbol.asyncDispose]();
  await client?.close();
});

const versions = { version: '3.6.16', nextVersion: '3.7.3', repository: 'etcd.test/etcd' };
const lives = crashLives({ ...versions, patience: 120_000 });
const program = {
  program: import.meta.resolve('../src/main.ts'),
  env: { KURATOR_ETCD_IMAGE: 'etcd-operator:test' },
};

it.each([
  ['made, grown, upgraded, shrunk', 'apply pods/etcd-* #1'],
  ['made, and a member replaced', 'delete persistentvolumeclaims/etcd-* #1'],
  ['backed up, and restored', 'create etcdclusters.etcd.kurator.sh/restored #1'],
])('survives a crash at every write: a cluster %s', { timeout: 900_000 }, async (name, write) => {
  const scenario = lives[name];
  if (!scenario) throw new Error(`there is no life "${name}"`);
  const run: typeof scenario.run = async (world) => {
    await furnish(world.client, world.namespace);
    await scenario.run(world);
  };
  const report = await everyCrash(program, { ...scenario, run }, { name: `etcd ${name}`, share: 0.01, seed: 17 });
  expect(report.writes).toContain(write);
});
