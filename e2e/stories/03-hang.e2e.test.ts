/** Story 3: SIGSTOP. The port still takes connections; whoever asks for an answer notices, and only the hung instance is replaced. */
import { optionalRoles } from '@kurator/operator-kurator';
import type { Pod } from '@kurator/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HealerWorld, hung, restarts, uids } from '../support/healer/healer-world.ts';
import { measured } from '../support/healer/measured.ts';

let world: HealerWorld;
/** The queue of an httpd takes a few connections more than these make until the story is over. */
const tcp = { name: 'port', tcp: {}, period: '10s', timeout: '2s', failAfter: 3, recoverAfter: 1 };
const http = { name: 'page', http: {}, period: '1s', timeout: '1s', failAfter: 3 };
const command = ['timeout', '1', 'wget', '-q', '-O', '/dev/null', 'http://127.0.0.1:8080/'];
/** To start a program in a container takes its time on a busy machine. */
const exec = { name: 'command', exec: { command }, period: '5s', timeout: '5s', failAfter: 2, recoverAfter: 1 };

beforeAll(async () => {
  const rules = [...optionalRoles.metrics, ...optionalRoles.exec];
  world = await HealerWorld.open('e2e-hang', 1, { rules });
  await world.adopt('Deployment', 'asked', { checks: [tcp, http] }, { isProbed: true });
  await world.adopt('StatefulSet', 'commanded', { checks: [tcp, exec] });
  await world.adopt('Deployment', 'knocked', { checks: [tcp] });
  await world.adopt('Deployment', 'bystander', {}, { replicas: 1 });
  await Promise.all(['asked', 'commanded', 'knocked', 'bystander'].map((name) => world.untilHealthy(name)));
  await world.remember();
});

afterAll(async () => await world?.[Symbol.asyncDispose]());

/** From the moment of detection on there were never fewer ready than then, less the one that a repair may take away. */
function expectEnoughReady(service: string, detectedAt: number): void {
  const seen = world.witness.readyOf(service);
  const atDetection = seen.findLast(({ at }) => at <= detectedAt)?.value ?? 0;
  const least = Math.min(atDetection, ...seen.filter(({ at }) => at > detectedAt).map(({ value }) => value));
  expect(least, JSON.stringify(seen)).toBeGreaterThanOrEqual(atDetection - 1);
}

async function hang(service: string): Promise<Pod> {
  const { ill } = await world.illAndWell(service);
  const frozenAt = Date.now();
  await world.cluster.faults.freeze({ pod: ill });
  const status = await world.untilStage(`${service}-1`, 'closed');
  measured(`${service}: confirmed`, frozenAt, status.confirmedAt);
  measured(`${service}: well`, frozenAt, status.recoveredAt);
  expect(status.actions).toMatchObject([{ step: 'replace', targets: [ill.metadata.name], outcome: 'done' }]);
  expect(status.evidence?.instances).toMatchObject([{ name: ill.metadata.name, node: ill.spec?.nodeName }]);
  const stages = status.stages?.map(({ stage }) => stage);
  expect(stages).toEqual(['suspected', 'confirmed', 'repairing', 'verifying', 'recovered']);
  // The port went on to take connections: nobody but the one that wants an answer complained.
  const says = status.evidence?.symptoms?.join('\n') ?? '';
  expect(says).not.toContain('check port failed');
  await world.untilHealthy(service);
  const after = await world.pods(service);
  expect(uids(after)).not.toContain(ill.metadata.uid);
  expect(restarts(after)).toBe(0);
  expect(await world.evictionsOf(ill)).toHaveLength(1);
  expectEnoughReady(service, Date.parse(status.confirmedAt ?? ''));
  await world.expectTold(service, `${service}-1`);
  expect(await world.incidentsOf(service)).toEqual([`${service}-1`]);
  return ill;
}

const touched: Pod[] = [];

describe('an instance that hangs behind an open port', () => {
  it('is noticed by HTTP and by a command, and replaced; a connection alone notices nothing', async () => {
    const before = await world.pods('knocked');
    const [knocked] = before;
    if (!knocked) throw new Error('no pods');
    const fault = await world.cluster.faults.freeze({ pod: knocked });
    touched.push(...(await Promise.all(['asked', 'commanded'].map(hang))));
    // Here it still hangs.
    expect(await world.status('knocked')).toMatchObject({ health: 'Healthy', healthyInstances: 3 });
    expect(await world.incidentsOf('knocked')).toEqual([]);
    await fault.heal();
  });

  it('is called by its name', async () => {
    expect((await world.untilStage('asked-1', 'closed')).cause).toEqual(hung);
  });
});

it('ends with all well, and nobody touched but the two that hung', async () => {
  await world.expectHeld({ touched });
});
