/** `kurator report`: what happened, what was done or would have been, and what that was worth. */
import { parseDuration } from '@kurator/client';
import { type Action, type ActionContext, duration } from '@kurator/command';
import {
  type ClusterOptions,
  inCluster,
  isForPrograms,
  type OutputOptions,
  type Reached,
  serialised,
} from '@kurator/command/kube';
import { ofSelected } from './incidents.ts';
import { type Incident, incidents } from './kinds.ts';
import { moment } from './moments.ts';
import { Page } from './page.ts';
import type { Selection } from './placed.ts';
import { type Report, reportOf, type Sums, type Told, told } from './report-figures.ts';
import { viewText } from './view.ts';

interface ReportOptions extends ClusterOptions, OutputOptions, Selection {
  readonly since: number;
  readonly limit: number;
  readonly byHand?: string;
}

/** Records are large: so many at a time are asked for, and only what is told of them is kept. */
const pageSize = 200;

export const report: Action<ReportOptions, []> = async (context, options) =>
  await inCluster(options, async (reached) => {
    const now = Date.now();
    const { since } = options;
    const byHand = options.byHand === undefined ? undefined : parseDuration(options.byHand);
    const { all, suspicions } = await gather(
      reached,
      since,
      await ofSelected(reached, options, context.signal),
      context.signal,
    );
    const whole = reportOf(all, suspicions, { since, now, byHand });
    const shown = { ...whole, incidents: whole.incidents.slice(0, options.limit) };
    if (isForPrograms(options)) context.print(await serialised(shown, options, context.screen));
    else show(context, shown, reached);
    return 0;
  });

async function gather(
  { client, namespace }: Reached,
  since: number,
  isMeant: (incident: Incident) => boolean,
  signal: AbortSignal,
): Promise<{ all: Told[]; suspicions: number }> {
  const all: Told[] = [];
  let suspicions = 0;
  let next: string | undefined;
  do {
    const { items, metadata } = await client.list(incidents, {
      ...(namespace && { namespace }),
      ...(next && { continue: next }),
      limit: pageSize,
      signal,
    });
    // One that is still open is of today, whenever it began.
    const isRecent = ({ spec, status }: Incident) => Date.parse(spec.startedAt) >= since || !status?.closedAt;
    for (const incident of items.filter((one) => isRecent(one) && isMeant(one))) {
      const one = told(incident);
      if (one) all.push(one);
      else suspicions++;
    }
    next = metadata.continue || undefined;
  } while (next);
  return { all, suspicions };
}

function show({ print, screen }: ActionContext, whole: Report, { namespace }: Reached): void {
  const { total, namespaces, incidents: newest } = whole;
  const page = new Page(screen);
  page.title(
    `Kurator, ${moment(whole.since)} to ${moment(whole.until)}, ${namespace ? `namespace ${namespace}` : 'all namespaces'}`,
  );
  print(`${page.text()}\n`);
  const rows = Object.entries(namespaces).map(([name, sums]) => ({ name, ...sums }));
  if (rows.length > 0) print(`${viewText(sumsView, [...rows, { name: 'all', ...total }], screen)}\n`);
  if (newest.length > 0) print(`${viewText(toldView, newest, screen)}\n`);
  const words = new Page(screen);
  const left = total.incidents - newest.length;
  if (left > 0) words.item(`${left} more are not shown: --limit`);
  words.items(meaningOf(whole));
  print(words.text());
}

const sumsView = {
  headings: [
    'NAMESPACE',
    'INCIDENTS',
    'REPAIRED',
    'WOULD REPAIR',
    'BY ON-CALL',
    'BY ITSELF',
    'OPEN',
    'DOWN',
    'SAVED',
    'COULD SAVE',
  ],
  toned: '',
  row: ({ name, ...sums }: Sums & { name: string }) => [
    name,
    ...[sums.incidents, sums.repaired, sums.wouldRepair, sums.people, sums.itself, sums.open].map(String),
    duration(sums.downMs),
    sums.savedMs === undefined ? undefined : duration(sums.savedMs),
    sums.wouldRepair > 0 ? `≤ ${duration(sums.waitedMs)}` : undefined,
  ],
};

const endings: Readonly<Record<Told['ending'], string>> = {
  repaired: 'repaired',
  wouldRepair: 'would repair',
  people: 'by on-call',
  itself: 'by itself',
  open: 'open',
};

const toldView = {
  headings: ['BEGAN', 'INCIDENT', 'CAUSE', 'ENDING', 'STEPS', 'LASTED'],
  toned: '',
  row: ({ startedAt, namespace, name, cause, ending, steps, lasted }: Told) => [
    moment(startedAt),
    `${namespace}/${name}`,
    cause,
    endings[ending],
    steps.join(', '),
    lasted === undefined ? undefined : duration(lasted),
  ],
};

/** How the figures are made: nobody should have to believe them. */
function meaningOf({ byHand, suspicions, total }: Report): string[] {
  if (total.incidents === 0) return [`Nothing has happened; ${suspicions} suspicions came to nothing.`];
  const source =
    byHand?.from === 'option'
      ? 'as --by-hand says'
      : `the median of the ${byHand?.incidents} incidents here that waited for on-call, from the call until it was well`;
  const saved = byHand
    ? `SAVED: for each repair without on-call, how much sooner it was well than by hand; by hand takes ${duration(byHand.ms)}, ${source}.`
    : 'SAVED is not known: no incident here had to wait for on-call. Say how long that takes with --by-hand 30m.';
  const could =
    total.wouldRepair > 0
      ? [
          'COULD SAVE: from when Kurator would have acted until it was well again. The most it can be: a repair takes time too.',
        ]
      : [];
  return [
    saved,
    ...could,
    `DOWN: no healthy pod was left. ${suspicions} suspicions came to nothing, and are not counted.`,
  ];
}
