// What the scorecard says where there is little to see; what it sees of a live operator is in e2e/new-operator and e2e/chart.
import { join } from 'node:path';
import { Deployment, Namespace } from '@kurator/client';
import { fakeSession } from '@kurator/command/testing';
import { type TestScope, testScope } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommandLine } from '../src/program.ts';
import type { Report } from '../src/scorecard/report.ts';

const bundle = join(import.meta.dirname, '..', '..', '..', 'deploy', 'bundle');
const kubeconfig = process.env.KURATOR_TEST_KUBECONFIG ?? '';
let test: TestScope;

beforeAll(async () => {
  test = await testScope('scorecard');
});
afterAll(async () => await test.end());

async function scorecard(...args: string[]) {
  const session = fakeSession();
  // Alert rules and dashboards are elsewhere.
  const what = ['--bundle', bundle, '--monitoring', bundle];
  const line = ['scorecard', ...what, '-n', test.namespace, '--timeout', '1s', ...args];
  await runCommandLine(line, session);
  const { stdout, stderr, code } = session.said;
  return { stdout, stderr, code };
}

async function lines(...args: string[]): Promise<Record<string, string>> {
  const { stdout } = await scorecard('-o', 'json', ...args);
  const { levels } = JSON.parse(stdout) as Report;
  return Object.fromEntries(levels.flatMap((level) => level.lines).map(({ id, result }) => [id, result]));
}

describe('without a cluster', () => {
  it('tests the bundle, and says of the rest that it was not tested, and why', async () => {
    const { stdout, code } = await scorecard('--kubeconfig', '/does/not/exist');
    expect(stdout).toContain('6 of 6 tests are met');
    expect(stdout).toMatch(/untested +install-deployed +it is deployed\n +the kubeconfig \/does\/not\/exist/);
    expect(code).toBe(0);
    expect((await scorecard('--kubeconfig', '/does/not/exist', '--strict')).code).toBe(3);
    expect((await scorecard('--no-cluster', '--level', '0', '--strict')).code).toBe(0);
  });
});

describe('in a cluster', () => {
  it('says where it looked for an operator that is not there', async () => {
    const { stdout, code } = await scorecard('--kubeconfig', kubeconfig);
    expect(stdout).toMatch(/NOT MET +install-deployed .*\n +there is no Deployment \S+\/kurator\n +fix: deploy it/);
    expect(code).toBe(3);
    expect(await lines('--kubeconfig', kubeconfig)).toMatchObject({ 'upgrade-definitions': 'untested' });
  });

  it('sees that nothing runs, and touches nothing', async () => {
    const labels = { app: 'kurator' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'operator', image: 'kurator:none' }] } };
    await test.client.create(Deployment, {
      metadata: { name: 'kurator', namespace: test.namespace },
      spec: { selector: { matchLabels: labels }, template },
    });
    expect(await lines('--kubeconfig', kubeconfig)).toMatchObject({
      'install-deployed': 'met',
      'install-ready': 'unmet',
      'upgrade-rolling': 'untested',
      'insight-metrics': 'unmet',
      'insight-alerts': 'unmet',
    });
    const { items } = await test.client.list(Namespace);
    const names = items.map(({ metadata }) => metadata.name);
    expect(names.filter((name) => name.startsWith('kurator-scorecard-kurator-'))).toEqual([]);
  });

  it('deletes and restarts nothing unless somebody agrees', async () => {
    const { stderr, code } = await scorecard('--kubeconfig', kubeconfig, '--disruptive');
    expect(stderr).toContain('give --yes');
    expect(code).toBe(2);
  });
});
