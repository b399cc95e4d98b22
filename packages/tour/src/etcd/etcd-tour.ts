/** The tour of etcd: one chapter after the other, while somebody writes; and what came of each. */
import { type Client, Secret } from '@kurator/client';
import { CliError, duration, safeLine, table, wrap } from '@kurator/command';
import type { EtcdCluster } from '@kurator/operator-etcd';
import type { Cluster } from '@kurator/testenv';
import type { Narrator } from '../narrator.ts';
import { applyAll, loadImages, PATIENCE } from '../operator-parts.ts';
import { type Claim, claimLines } from '../summary.ts';
import { type Chapter, chapters, etcdManifest, isRunning, NAME, RESTORED, SIZE, type Stage } from './chapters.ts';
import { type EtcdParts, VERSION } from './etcd-parts.ts';
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

/** What came of a chapter. */
interface Ending {
  readonly title: string;
  readonly took: number;
  /** Undefined where nobody could write. */
  readonly longestPause: number | undefined;
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
  const watch = watchEtcd(client, (step) => tellStep(narrator, step), over);
  const started = Date.now();
  narrator.step(
    `Creating an EtcdCluster of ${SIZE} members, etcd ${VERSION}. The first begins alone; the others join it.`,
  );
  await applyAll(client, [etcdManifest()], signal);
  narrator.show(() => board(watch, narrator));
  if (!(await watch.until(() => isRunning(watch.cluster(NAME), VERSION), PATIENCE))) throw notUp(watch.cluster(NAME));
  narrator.step(
    `It runs, after ${duration(Date.now() - started)}: on volumes of its own, over TLS by an authority of its own.`,
  );
  const writer = new Writer(watch.endpoints, async (name) => {
    return await client.get(Secret, { name: `${name}-client-tls`, namespace: NAMESPACE }, { signal });
  });
  const writing = writer.write(NAME, over);
  try {
    narrator.step('Somebody writes to it now, some fifteen times a second, and remembers what was acknowledged.');
    const endings: Ending[] = [];
    const backedUp: string[] = [];
    for (const [index, chapter] of chapters.entries()) {
      endings.push(await tell(chapter, index, { client, watch, writer, backedUp, signal: over }, narrator));
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
  const claims = chapter.endsWritable ? [...deed, await nothingIsMissing(stage)] : deed;
  narrator.line(
    claimLines(claims, narrator.screen)
      .map((line) => `${' '.repeat(13)}${line}`)
      .join('\n'),
  );
  return { title, took, longestPause: chapter.endsWritable ? longestPause : undefined, claims };
}

async function nothingIsMissing({ writer, signal }: Stage): Promise<Claim> {
  const keys = writer.acknowledged();
  const missing = await writer.missing(keys, NAME, signal);
  return { text: `all of ${keys.length} acknowledged writes are there`, holds: missing.length === 0 };
}

/** As it is written into the status. */
function tellStep(narrator: Narrator, step: string): void {
  if (step === 'as wanted') return;
  const mark = ' '.repeat(13);
  const { paint, width } = narrator.screen;
  narrator.line(paint('dim', wrap(safeLine(step), width, mark, `${mark}  `)));
}

/** On a terminal. */
function board(watch: EtcdWatch, { screen }: Narrator): string[] {
  const { members = [] } = (watch.cluster(RESTORED) ?? watch.cluster(NAME))?.status ?? {};
  const rows = members.map(({ name, state, version = '', leader, healthy }) => [
    name,
    leader ? 'Leader' : state,
    version,
    healthy ? 'answers' : 'gives no answer',
  ]);
  return rows.length === 0 ? [] : table(['MEMBER', 'STATE', 'VERSION', ''], rows, { screen }).split('\n');
}

function sayWhatCame(endings: readonly Ending[], writer: Writer, narrator: Narrator): boolean {
  const rows = endings.map(({ title, took, longestPause }) => [
    title,
    duration(took),
    longestPause === undefined ? 'no quorum' : duration(longestPause),
  ]);
  narrator.line(
    `\n${table(['WHAT HAPPENED', 'DONE AFTER', 'LONGEST PAUSE OF WRITES'], rows, { screen: narrator.screen })}\n`,
  );
  const isWell = endings.every(({ claims }) => claims.every(({ holds }) => holds));
  const { acknowledged } = writer.written();
  narrator.step(
    isWell
      ? `${acknowledged} writes were acknowledged; all is as it had to be.`
      : 'Not everything was as it had to be.',
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
      '  kubectl get etcdclusters,etcdbackups,etcdrestores,pods,pvc',
      `  kubectl describe etcdcluster ${NAME}`,
      `  kubectl scale etcdcluster ${RESTORED} --replicas=5`,
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
