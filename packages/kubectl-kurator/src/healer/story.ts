/** An incident as a story, as `kurator explain` prints it: why, what happened, what was seen, who was told. Pure. */

import type { Screen } from '@kurator/command';
import { causeInWords, type Incident as Known, timeline } from '@kurator/operator-kurator/brain';
import { type Again, decidedAgain } from './again.ts';
import type { Incident } from './kinds.ts';
import { between, clock, moment } from './moments.ts';
import { type Field, Page } from './page.ts';
import { toneOf } from './tones.ts';

/** How much of it. */
export interface StoryOptions {
  /** All that is on record: every line of the logs. */
  readonly full: boolean;
}

type Status = NonNullable<Incident['status']>;

const fewLines = 10;

export function story(incident: Incident, screen: Screen, options: StoryOptions): string {
  const { metadata, spec, status = {} as Status } = incident;
  const { stage = 'new', summary } = status;
  const page = new Page(screen);
  page.title(`Incident ${metadata.namespace}/${metadata.name} of ${spec.service}`);
  page.fields([
    ['stage', stage, toneOf(stage)],
    ['cause', causeText(status)],
    ['last', summary],
    ['began', moment(spec.startedAt)],
    ['detected', after(spec.startedAt, status.confirmedAt)],
    ['recovered', after(spec.startedAt, status.recoveredAt)],
    ['closed', moment(status.closedAt)],
    ['root', status.root],
  ]);
  why(page, status);
  whatHappened(page, incident);
  waitsFor(page, incident);
  whatWasSeen(page, status, options);
  others(page, status);
  told(page, status);
  decided(page, decidedAgain(incident));
  return page.text();
}

function causeText({ cause, confidence }: Status): string | undefined {
  const words: Readonly<Record<string, string>> = causeInWords;
  return cause && `${cause}: ${words[cause] ?? cause}${confidence ? ` (${confidence})` : ''}`;
}

function after(from: string, to: string | undefined): string | undefined {
  return to && `${moment(to)}, after ${between(from, to)}`;
}

function why(page: Page, { reasons, cause }: Status): void {
  const words: Readonly<Record<string, string>> = causeInWords;
  // The first reason only says the cause in words.
  const said = (reasons ?? []).filter((reason) => reason !== words[cause ?? '']);
  if (said.length === 0) return;
  page.title('Why');
  page.items(said);
}

function whatHappened(page: Page, { spec, status }: Incident): void {
  const lines = linesOf(status);
  if (lines.length === 0) return;
  page.title('What happened');
  const began = Date.parse(spec.startedAt);
  for (const { at, text } of lines) {
    const since = `+${((at - began) / 1000).toFixed(1)}s`.padStart(9);
    page.item(text, `  ${clock(at)} ${since}  `);
  }
}

/** From the whole record; from the stages alone where there is no more. */
function linesOf(status: Status | undefined): { at: number; text: string }[] {
  const known = status?.memory as unknown as Known | undefined;
  if (known?.transitions) return timeline(known);
  return (status?.stages ?? []).map(({ at, stage, reason }) => ({ at: Date.parse(at), text: `${stage}: ${reason}` }));
}

const calls: Readonly<Record<string, string>> = {
  handedOver: 'it is yours; `kurator resume` gives it back',
  quarantined: 'it keeps failing; `kurator resume` gives it back',
};

function waitsFor(page: Page, { metadata, status }: Incident): void {
  if (status?.closedAt) return;
  const { proposal, stage = '' } = status ?? {};
  const said = proposal ? `${proposal.reason}; \`kurator approve ${metadata.name}\` agrees` : calls[stage];
  if (!said) return;
  page.title('It waits for on-call');
  page.item(said);
}

function whatWasSeen(page: Page, { evidence }: Status, { full }: StoryOptions): void {
  if (!evidence) return;
  page.title(`What was seen, at ${moment(evidence.takenAt) ?? 'an unknown time'}, before anything was done`);
  page.items(evidence.symptoms);
  for (const { name, node, containers, checks, logs } of evidence.instances ?? []) {
    page.item(`${name}${node ? ` on ${node}` : ''}`, '  ');
    page.items(containers, '    container ');
    page.items(checks, '    check ');
    if (logs) quoteLogs(page, logs, full);
  }
  page.items(evidence.events, '  event ');
  page.items(evidence.nodes, '  node ');
}

function quoteLogs(page: Page, logs: string, full: boolean): void {
  const lines = logs.trimEnd().split('\n');
  const shown = full ? lines : lines.slice(-fewLines);
  const left = lines.length - shown.length;
  page.item(left > 0 ? `its last words (${left} more lines with --full)` : 'its last words', '    ');
  page.quote(shown.join('\n'), '      ');
}

function others(page: Page, { others: known }: Status): void {
  // Earlier versions wrote a map.
  const all = Array.isArray(known)
    ? known.map(({ name, state }) => [name, state] as const)
    : Object.entries(known ?? {});
  if (all.length === 0) return;
  page.title('Other components');
  page.fields(
    all.map(([name, state]): Field => [name, String(state)]),
    '  ',
  );
}

function told(page: Page, { told: all }: Status): void {
  page.title('Who was told');
  if (!all?.length) page.item('nobody yet');
  for (const { at, whom, what, outcome } of all ?? []) {
    page.item(`${whom}: ${what}${outcome ? ` (${outcome})` : ''}`, `  ${clock(Date.parse(at))}  `);
  }
}

function decided(page: Page, all: readonly Again[]): void {
  page.title('Decided again, from what was recorded');
  if (all.length === 0) page.item('nothing was recorded to decide from');
  for (const { at, then, now, isSame, cause, actions } of all) {
    const mark = `  ${clock(at)}  `;
    const named = cause ?? 'no cause';
    if (isSame) page.item(`the same: ${named} → ${now.map(stageIn).join(', ')}`, mark, 'good');
    else {
      page.item(`otherwise: ${named} → ${now.join('; ') || 'nothing'}`, mark, 'bad');
      page.item(`then: ${then.join('; ') || 'nothing'}`, ' '.repeat(mark.length));
    }
    page.items(actions, `${' '.repeat(mark.length)}→ `);
  }
}

/** Without its reason, which is told above. */
function stageIn(change: string): string {
  return change.slice(0, change.indexOf(':'));
}
