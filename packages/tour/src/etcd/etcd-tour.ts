/** The tour of etcd: a cluster that is written to all the time, while it loses a member and gets a new version. */
import { type Client, PersistentVolumeClaim, Pod, Secret } from '@kurator/client';
import { CliError, duration, safeLine, table, wrap } from '@kurator/command';
import type { EtcdCluster } from '@kurator/operator-etcd';
import type { Cluster } from '@kurator/testenv';
import type { Narrator } from '../narrator.ts';
import { applyAll, loadImages, PATIENCE } from '../operator-parts.ts';
import { type Claim, claimLines } from '../summary.ts';
import { type EtcdParts, NEXT_VERSION, REPOSITORY, VERSION } from './etcd-parts.ts';
import { type EtcdWatch, NAMESPACE, watchEtcd } from './etcd-watch.ts';
import { Writer } from './writer.ts';

/** How it is shown. */
export interface EtcdTourOptions {
  readonly cluster: Cluster;
  readonly client: Client;
  readonly parts: EtcdParts;
  readonly narrator: Narrator;
  /** Whether it goes on when all was shown, until the signal. */
  readonly stays: boolean;
  readonly signal: AbortSignal;
}

const NAME = 'example-etcd-cluster';
const SIZE = 3;

/** What a chapter has to do with. */
interface Stage {
  readonly client: Client;
  readonly watch: EtcdWatch;
  readonly writer: Writer;
  readonly signal: AbortSignal;
}

interface Chapter {
  readonly title: string;
  /** What is done, and what must come of it; a sentence or two. */
  readonly explanation: string;
  act(stage: Stage): Promise<Claim[]>;
}

/** What came of a chapter. */
interface Ending {
  readonly title: string;
  readonly took: number;
  readonly longestPause: number;
  readonly claims: readonly Claim[];
}

/** Whether everything was as it had to be. */
export async function showEtcd(options: EtcdTourOptions): Promise<boolean> {
  const { cluster, client, parts, narrator, stays, signal } = options;
  const closing = new AbortController();
  const over = AbortSignal.any([signal, closing.signal]);
  await loadImages(cluster, [parts.operator.image, ...parts.images], narrator);
  await applyAll(client, parts.operator.manifests, signal);
  narrator.step('The operator runs in it as a pod, from an image built here.');
  const watch = watchEtcd(client, (_, step) => tellStep(narrator, step), over);
  const started = Date.now();
  narrator.step(
    `Creating an EtcdCluster of ${SIZE} members, etcd ${VERSION}. The first begins alone; the others join it.`,
  );
  await applyAll(client, [manifest()], signal);
  narrator.show(() => board(watch, narrator));
  if (!(await watch.until(() => isRunning(watch.cluster(NAME), VERSION), PATIENCE))) throw notUp(watch.cluster(NAME));
  narrator.step(
    `It runs, after ${duration(Date.now() - started)}: on volumes of its own, over TLS by an authority of its own.`,
  );
  const secret = await client.get(Secret, { name: `${NAME}-client-tls`, namespace: NAMESPACE }, { signal });
  const writer = new Writer(secret, () => watch.endpoints(NAME));
  const writing = writer.write(over);
  try {
    narrator.step('Somebody writes to it now, some fifteen times a second, and remembers what was acknowledged.');
    const endings: Ending[] = [];
    for (const [index, chapter] of chapters.entries()) {
      endings.push(await tell(chapter, index, { client, watch, writer, signal: over }, narrator));
    }
    const isWell = sayWhatCame(endings, writer, narrator);
    if (stays) await stay(cluster, narrator, signal);
    return isWell;
  } finally {
    closing.abort(new Error('the tour is over'));
    await writing.catch(() => {});
    writer.close();
    narrator.close();
  }
}

async function tell(chapter: Chapter, index: number, stage: Stage, narrator: Narrator): Promise<Ending> {
  const { title, explanation } = chapter;
  narrator.line(`\n${narrator.screen.paint('bold', `${index + 1}. ${title}`)}`);
  narrator.step(explanation);
  stage.writer.begin();
  const began = Date.now();
  const deed = await chapter.act(stage);
  const took = Date.now() - began;
  const { longestPause } = stage.writer.written();
  const claims = [...deed, await nothingIsMissing(stage)];
  narrator.line(
    claimLines(claims, narrator.screen)
      .map((line) => `${' '.repeat(13)}${line}`)
      .join('\n'),
  );
  return { title, took, longestPause, claims };
}

const chapters: readonly Chapter[] = [
  {
    title: 'a member is lost, with its volume',
    explanation:
      'The pod of the leader is deleted, and so is its data. Another must lead at once, and a new member, with a new name, take its place.',
    async act({ client, watch, signal }) {
      const before = names(watch.cluster(NAME));
      const victim = watch.cluster(NAME)?.status?.leader ?? '';
      for (const type of [PersistentVolumeClaim, Pod]) {
        await client.delete(type, { name: victim, namespace: NAMESPACE }, { signal });
      }
      const isReplaced = (cluster: EtcdCluster | undefined) =>
        isRunning(cluster, VERSION) && !names(cluster).includes(victim);
      const isWell = await watch.until(() => isReplaced(watch.cluster(NAME)), PATIENCE);
      const stayed = names(watch.cluster(NAME)).filter((name) => before.includes(name));
      return [
        { text: `${victim} is replaced`, holds: isWell },
        { text: 'the other members were left alone', holds: stayed.length === SIZE - 1 },
      ];
    },
  },
  {
    title: `an upgrade, from ${VERSION} to ${NEXT_VERSION}`,
    explanation:
      'Only the version is changed. Members are restarted one after the other on their own volumes, and the leader last.',
    async act({ client, watch, signal }) {
      const before = names(watch.cluster(NAME));
      await applyAll(client, [manifest(NEXT_VERSION)], signal);
      const isWell = await watch.until(() => isRunning(watch.cluster(NAME), NEXT_VERSION), PATIENCE);
      const after = names(watch.cluster(NAME));
      return [
        { text: `all members run ${NEXT_VERSION}`, holds: isWell },
        { text: 'they are the same members, on the same volumes', holds: before.join() === after.join() },
      ];
    },
  },
];

async function nothingIsMissing({ writer, watch, signal }: Stage): Promise<Claim> {
  const keys = writer.acknowledged();
  const missing = await writer.missing(keys, () => watch.endpoints(NAME), signal);
  return { text: `all of ${keys.length} acknowledged writes are there`, holds: missing.length === 0 };
}

function manifest(version = VERSION) {
  return {
    apiVersion: 'etcd.kurator.sh/v1alpha1',
    kind: 'EtcdCluster',
    metadata: { name: NAME, namespace: NAMESPACE },
    spec: { size: SIZE, version, repository: REPOSITORY, storage: { size: '256Mi' } },
  };
}

const names = (cluster: EtcdCluster | undefined) => (cluster?.status?.members ?? []).map(({ name }) => name).toSorted();

function isRunning(cluster: EtcdCluster | undefined, version: string): boolean {
  const { spec, status, metadata } = cluster ?? {};
  const isOfNow = spec?.version === version && status?.observedGeneration === metadata?.generation;
  return isOfNow && status?.phase === 'Running' && status.size === SIZE && status.currentVersion === version;
}

/** As it is written into the status. */
function tellStep(narrator: Narrator, step: string): void {
  if (step === 'as wanted') return;
  const [word = '', ...rest] = step.split(': ');
  const mark = `${' '.repeat(13)}${word.padEnd(12)}`;
  const { paint, width } = narrator.screen;
  narrator.line(paint('dim', wrap(safeLine(rest.join(': ')), width, mark, ' '.repeat(mark.length))));
}

/** On a terminal. */
function board(watch: EtcdWatch, { screen }: Narrator): string[] {
  const { members = [] } = watch.cluster(NAME)?.status ?? {};
  const rows = members.map(({ name, state, version = '', leader, healthy }) => [
    name,
    leader ? 'Leader' : state,
    version,
    healthy ? 'answers' : 'gives no answer',
  ]);
  return rows.length === 0 ? [] : table(['MEMBER', 'STATE', 'VERSION', ''], rows, { screen }).split('\n');
}

function sayWhatCame(endings: readonly Ending[], writer: Writer, narrator: Narrator): boolean {
  const rows = endings.map(({ title, took, longestPause }) => [title, duration(took), duration(longestPause)]);
  narrator.line(
    `\n${table(['WHAT HAPPENED', 'DONE AFTER', 'LONGEST PAUSE OF WRITES'], rows, { screen: narrator.screen })}\n`,
  );
  const isWell = endings.every(({ claims }) => claims.every(({ holds }) => holds));
  const { acknowledged } = writer.written();
  narrator.step(
    isWell ? `${acknowledged} writes were acknowledged, and none is lost.` : 'Not everything was as it had to be.',
  );
  return isWell;
}

async function stay({ kubeconfig }: Cluster, narrator: Narrator, signal: AbortSignal): Promise<void> {
  narrator.line(
    [
      '',
      'The cluster stays until you press Ctrl-C. Look further in another terminal:',
      '',
      `  export KUBECONFIG=${kubeconfig}`,
      '  kubectl get etcdclusters,pods,pvc',
      `  kubectl describe etcdcluster ${NAME}`,
      `  kubectl scale etcdcluster ${NAME} --replicas=5`,
    ].join('\n'),
  );
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

function notUp(cluster: EtcdCluster | undefined): CliError {
  const step = cluster?.status?.step ?? 'the operator has not looked at it';
  return new CliError('KUR_CLI_TOUR', `the etcd cluster was not up after ${PATIENCE / 1000} s: ${step}`, {
    remedy: 'kurator doctor says whether this machine lacks something',
  });
}
