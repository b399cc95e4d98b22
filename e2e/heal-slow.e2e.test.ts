/** One instance of three answers far slower than it used to, while the others answer as always. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HealerWorld, restarts, uids } from './support/healer/healer-world.ts';
import { eventually, kubectl } from './support/kubectl.ts';

let world: HealerWorld;
/** Writes a line for each request, so that it can be seen how often it was asked. */
const talkative = 'mkdir -p /www && echo hello >/www/index.html && exec httpd -f -vv -p 8080 -h /www';
/** What is usual has to be known before anything can be unusual. */
const answersToLearnFrom = 40;

beforeAll(async () => {
  world = await HealerWorld.open('e2e-heal-slow');
  const check = { http: {}, period: '1s', timeout: '1s', failAfter: 20 };
  await world.own('Deployment', 'dawdles', { checks: [check] }, { script: talkative });
  await world.untilHealthy('dawdles');
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

/** How often the operator has asked each instance and was answered, as their own logs say; the least. */
async function answersOfEach(name: string): Promise<number> {
  const [operator] = await world.operatorPods();
  const asker = operator?.status?.podIP ?? 'no address';
  const pods = await world.pods(name);
  const logs = await Promise.all(pods.map(({ metadata }) => kubectl(world.cluster, ['logs', metadata.name])));
  // An answer has several lines.
  const isAnswer = (line: string) => line.includes(asker) && line.includes('response:200');
  return Math.min(...logs.map((log) => log.split('\n').filter(isAnswer).length));
}

it('is replaced, and no other is touched', { timeout: 240_000 }, async () => {
  const { ill, well } = await world.illAndWell('dawdles');
  await eventually(async () => expect(await answersOfEach('dawdles')).toBeGreaterThan(answersToLearnFrom), 100_000);
  expect(await world.incidentsOf('dawdles')).toEqual([]);
  const began = Date.now();
  await world.cluster.faults.delay({ to: ill, port: 8080, by: '700ms' });
  const status = await world.untilStage('dawdles-1', 'closed').catch(async (error) => {
    const [operator] = await world.operatorPods();
    console.log(JSON.stringify(await world.status('dawdles')).slice(0, 3000));
    console.log(await kubectl(world.cluster, ['logs', '-n', 'kurator', operator?.metadata.name ?? '', '--tail=30']));
    console.log(
      (await kubectl(world.cluster, ['logs', '--timestamps', ill.metadata.name])).split('\n').slice(-40).join('\n'),
    );
    console.log(operator?.spec?.nodeName, ill.spec?.nodeName, Date.now() - began);
    console.log(
      await kubectl(world.cluster, [
        'get',
        '--raw',
        `/api/v1/namespaces/kurator/pods/${operator?.metadata.name}:8080/proxy/metrics`,
      ])
        .then((t) =>
          t
            .split('\n')
            .filter((l) => /kurator_(check|service)/.test(l))
            .join('\n'),
        )
        .catch(String),
    );
    throw error;
  });
  console.log(`confirmed after ${(Date.parse(status.confirmedAt ?? '') - began) / 1000} s`);
  await world.untilHealthy('dawdles');
  const after = await world.pods('dawdles');
  expect(uids(after)).not.toContain(ill.metadata.uid);
  expect(uids(after)).toEqual(expect.arrayContaining(uids(well)));
  expect(after).toHaveLength(3);
  expect(restarts(after)).toBe(0);
  expect(status).toMatchObject({ cause: 'slow', actions: [{ step: 'replace', targets: [ill.metadata.name] }] });
  expect(status.actions).toHaveLength(1);
  expect(status.reasons?.join('\n')).toContain('the others answer as usual');
  expect(await world.evictionsOf(ill)).toHaveLength(1);
  await world.expectTold('dawdles', 'dawdles-1');
  expect(await world.incidentsOf('dawdles')).toEqual(['dawdles-1']);
  await world.expectWithinRoles();
});
