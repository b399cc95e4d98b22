/** Kurator and etcd-druid on the same nodes, one after the other: a cluster is made, a follower's pod is deleted, then its volume too. */
import { setTimeout as delay } from 'node:timers/promises';
import { PersistentVolumeClaim, Pod } from '@kurator/sdk';
import { Judge, type Verdict } from '../../../e2e/support/etcd-judge.ts';
import { type Line, linesOf } from '../../figures/lines.ts';
import { median } from '../../figures/quantile.ts';
import { markdownTable } from '../../figures/table.ts';
import type { Arena } from '../arena.ts';
import { scenarioBy } from '../scenarios.ts';
import { trial } from '../trial.ts';
import { DruidSubject, druidsHabits, RunningDruid } from './druid.ts';
import { druidPrograms } from './programs.ts';

const UNDISTURBED = 2000;

/** Of one cluster. */
interface Sample {
  readonly createdS: number;
  readonly recoveredS: number | undefined;
  readonly verdict: Verdict | undefined;
  readonly wrong: string | undefined;
}

type Loss = 'pod' | 'volume';
type Samples = Readonly<Record<Loss, Sample>>;

export async function compareWithDruid(arena: Arena, say: (text: string) => void): Promise<Line[]> {
  const programs = await druidPrograms();
  const kurator = {
    pod: await ofKurator(arena, 'pod-follower', 1),
    volume: await ofKurator(arena, 'claim-follower', 2),
  };
  say(`kurator: ${JSON.stringify(kurator)}`);
  await using druid = await RunningDruid.start(arena.cluster, programs);
  const samples = async () => ({ pod: await ofDruid(arena, 'pod'), volume: await ofDruid(arena, 'volume') });
  const theirs = await samples().catch((cause) => {
    throw new Error(`etcd-druid: ${(cause as Error).message}; it said: ${druid.words.slice(-3000)}`, { cause });
  });
  say(`etcd-druid: ${JSON.stringify(theirs)}`);
  return linesOf([...figuresOf('kurator', kurator), ...figuresOf('etcd-druid', theirs)], 'kurator');
}

async function ofKurator(arena: Arena, scenario: string, seed: number): Promise<Sample> {
  const { createdS, recoveredS, verdict, wrong } = await trial(arena, { seed, scenario: scenarioBy(scenario) });
  return { createdS, recoveredS, verdict, wrong };
}

async function ofDruid({ client, cluster }: Arena, loss: Loss): Promise<Sample> {
  const since = (start: number) => (performance.now() - start) / 1000;
  const began = performance.now();
  const subject = await DruidSubject.open(client, cluster, `druid-${loss}`);
  await subject.untilRunning();
  const createdS = since(began);
  const { metadata } = await subject.follower();
  await using judge = await Judge.begin(client, subject.place, { habits: druidsHabits });
  await delay(UNDISTURBED);
  const { name, namespace = '' } = metadata;
  if (loss === 'volume') {
    await client.delete(PersistentVolumeClaim, { name: `${subject.place.name}-${name}`, namespace });
  }
  await client.delete(Pod, { name, namespace }, loss === 'volume' ? { gracePeriodSeconds: 0 } : {});
  const lost = performance.now();
  await subject.untilRunning((pod) => pod.metadata.uid !== metadata.uid);
  const recoveredS = since(lost);
  await judge.end();
  const verdict = await judge.verdict();
  await subject.close();
  return { createdS, recoveredS, verdict, wrong: verdict.violation || verdict.trouble };
}

function figuresOf(subject: string, { pod, volume }: Samples) {
  const figures: [metric: string, value: number | undefined, unit: string][] = [
    ['create_s', median([pod.createdS, volume.createdS]), 's'],
    ['replace_s', pod.recoveredS, 's'],
    ['write_gap_follower_ms', pod.verdict?.gapMs, 'ms'],
    ['replace_volume_s', volume.recoveredS, 's'],
    ['write_gap_volume_ms', volume.verdict?.gapMs, 'ms'],
    ['violations', [pod, volume].filter(({ verdict }) => verdict?.violation).length, 'count'],
  ];
  return figures.flatMap(([metric, value, unit]) => (value === undefined ? [] : [{ subject, metric, value, unit }]));
}

/** Side by side. */
export function comparison(lines: readonly Line[]): string {
  const subjects = ['kurator', 'etcd-druid'];
  const metrics = [...new Set(lines.map(({ metric }) => metric))];
  const cell = (subject: string, metric: string) => {
    const line = lines.find((one) => one.subject === subject && one.metric === metric);
    return line ? `${line.value.toFixed(line.unit === 's' ? 1 : 0)} ${line.unit}` : 'never';
  };
  return markdownTable([
    ['', ...subjects],
    ...metrics.map((metric) => [metric, ...subjects.map((one) => cell(one, metric))]),
  ]);
}
