import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { settingsOf } from './settings.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kur-settings-'));
});
afterAll(async () => await rm(folder, { recursive: true }));

async function file(text: string): Promise<string> {
  const path = join(folder, 'values.yaml');
  await writeFile(path, text);
  return path;
}

it('gives nothing where nothing is given', async () => {
  expect(await settingsOf({})).toEqual({ env: [] });
});

it('takes the chart’s own values, from files and one by one', async () => {
  const values = [
    await file(`kurator:
  allowAddresses: [10.0.0.0/24, 'fd00::5']
  limits: { repairs: 10, storm: { share: 0.5 } }
  resources: { limits: { memory: 1Gi, cpu: 2 } }
`),
  ];
  const set = [
    'kurator.limits.repairs=30',
    'kurator.limits.per=2h',
    'kurator.resources.requests.cpu=1',
    'kurator.hostNetworkChecks=true',
  ];
  const { env, resources } = await settingsOf({ values, set });
  expect(env.slice(0, 2)).toEqual([
    { name: 'KURATOR_ALLOW_ADDRESSES', value: '10.0.0.0/24,fd00::5' },
    { name: 'KURATOR_HOST_NETWORK_CHECKS', value: 'true' },
  ]);
  expect(env[2]?.name).toBe('KURATOR_LIMITS');
  expect(JSON.parse(env[2]?.value ?? '')).toEqual({ repairs: 30, storm: { share: 0.5 }, per: '2h' });
  expect(resources).toEqual({ requests: { cpu: '1', memory: '128Mi' }, limits: { memory: '1Gi', cpu: '2' } });
});

it.each([
  ['kurator.limit.repairs=1', 'kurator.limit is not among what can be set'],
  ['limits.repairs=1', 'limits is not among what can be set: kurator'],
  ['kurator.replicas=3', 'kurator.replicas is not among'],
  ['kurator.limits.repairs=many', 'kurator.limits.repairs is "many": it must be a number'],
  ['kurator.hostNetworkChecks=maybe', 'kurator.hostNetworkChecks is "maybe": it must be true or false'],
  ['kurator.limits.per=often', 'kurator.limits the limits are not as they should be'],
  ['kurator.limits.storm.share=3', 'storm.share'],
  ['kurator.allowAddresses=10.0.0.0/99', 'kurator.allowAddresses has "10.0.0.0/99"'],
  ['kurator.resources.limits.memory=lots', 'kurator.resources.limits.memory is "lots"'],
  ['kurator.limits', 'has no value'],
])('refuses %s and names the key', async (set, message) => {
  const refused = settingsOf({ set: [set] });
  await expect(refused).rejects.toMatchObject({ code: 'KUR_CLI_USAGE', message: expect.stringContaining(message) });
});

it('refuses a file with a key that is none', async () => {
  const values = [await file('kurator: { limits: { storms: {} } }')];
  await expect(settingsOf({ values })).rejects.toMatchObject({
    message: expect.stringContaining('kurator.limits.storms'),
  });
});
