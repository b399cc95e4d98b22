// What Prometheus reads while the healer works: as documented, and all that the dashboard and the rules ask for.
import { eventually } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AlertChannel } from '../src/resources/alert-channel.ts';
import { metricFamilies } from '../src/voice/metrics/all-families.ts';
import type { Measured } from '../src/voice/metrics/family.ts';
import { type HealerWorld, healerWorld } from './support/healing/healer-world.ts';
import type { StagedPod } from './support/healing/stage-service.ts';

/** Nothing of this happens in a short while of one service. */
const rare = new Set([
  'kurator_service_scaling_bound',
  'kurator_incident_open',
  'kurator_incident_held',
  'kurator_notice_answers_total',
  'kurator_scalings_total',
]);

let round: HealerWorld;
let text: string;

beforeAll(async () => {
  round = await healerWorld();
  const { client, namespace } = round;
  const channel = (name: string, spec: object) =>
    client.create(AlertChannel, { metadata: { name, namespace }, spec: { default: true, ...spec } as never });
  await channel('log', { stdout: {} });
  // Nobody listens there.
  await channel('nowhere', { webhook: { url: 'http://127.0.0.1:9' } });
  const web = await round.stage('web');
  await round.stage('front', 1);
  await round.adopt('web');
  await round.adopt('front', { dependsOn: ['web'] });
  const { manager } = await round.start();
  await round.untilHealth('web', 'Healthy');
  await round.untilHealth('front', 'Healthy');
  const ill = web.pods[1] as StagedPod;
  ill.status = 500;
  await eventually(async () => expect(await web.podNames()).not.toContain(ill.name), { timeout: '30s' });
  await web.addPod();
  await round.untilStage('web-1', 'closed');
  text = await eventually(
    async () => {
      const { body } = await manager.metrics.text();
      expect(body).toMatch(/kurator_alert_attempts_total\{sink="webhook",outcome="failed"\} [1-9]/);
      expect(body).toMatch(/kurator_alert_attempts_total\{sink="stdout",outcome="delivered"\} [1-9]/);
      expect(body).toMatch(/kurator_alert_channel_failing\{namespace="[^"]*",channel="nowhere"\} 1/);
      return body;
    },
    { timeout: '30s' },
  );
});
afterAll(async () => await round[Symbol.asyncDispose]());

/** Lines of a metric: its labels by name. */
function linesOf(name: string): { labels: string[]; line: string }[] {
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return lines.map((line) => ({ line, labels: Array.from(line.matchAll(/(\w+)="/g), ([, label = '']) => label) }));
}

describe('what Prometheus reads', () => {
  const families = metricFamilies({} as Measured);

  it.each(families.map((family) => [family.name, family] as const))('is as documented: %s', (name, family) => {
    const { type, help, labels } = family;
    expect(text).toContain(`# TYPE ${name} ${type}`);
    expect(text).toContain(`# HELP ${name} ${help}`);
    const lines = type === 'histogram' ? linesOf(`${name}_bucket`) : linesOf(name);
    if (!rare.has(name)) expect(lines).not.toEqual([]);
    const allowed = type === 'histogram' ? [...labels, 'le'] : labels;
    for (const line of lines) expect(line.labels.toSorted(), line.line).toEqual(allowed.toSorted());
  });

  it('counts what has happened', () => {
    for (const stage of ['suspected', 'confirmed', 'tellingDependants', 'repairing', 'verifying', 'recovered']) {
      expect(text).toContain(`kurator_stage_changes_total{stage="${stage}"} 1\n`);
    }
    expect(text).toContain('kurator_actions_total{kind="evict",outcome="done"} 1\n');
    expect(text).toContain('kurator_steps_total{step="replace",result="succeeded"} 1\n');
    expect(text).toContain('kurator_time_to_recover_seconds_count{cause="wrong-answers"} 1\n');
    expect(text).toContain('kurator_notices_total{phase="after"} 1\n');
  });
});
