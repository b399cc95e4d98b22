/** A drill's report for people. Pure. */

import { duration, type Screen, type Tone } from '@kurator/command';
import { causeInWords } from '@kurator/operator-kurator/brain';
import { clock } from '../healer/moments.ts';
import { Page } from '../healer/page.ts';
import type { Outcome, Report, Told } from './report.ts';

const verdicts: Readonly<Record<Outcome, readonly [string, Tone]>> = {
  recovered: ['it recovered by itself', 'good'],
  notRecovered: ['it did not recover in time: the fault was taken away', 'bad'],
  notNoticed: ['nobody noticed: the fault was taken away', 'bad'],
  undisturbed: ['nothing was restarted, as it should be', 'good'],
  disturbed: ['pods were restarted, though they were only busy', 'bad'],
};

export function reportPage(report: Report, screen: Screen): string {
  const { drill, outcome, disturbed, incident, dependant } = report;
  const [verdict, tone] = verdicts[outcome];
  const page = new Page(screen);
  page.title(`Drill ${drill.id} of ${drill.service}: ${drill.fault}`);
  page.fields([
    ['outcome', verdict, tone],
    ['fault', drill.did],
    ...courseOf(report),
    ['requests lost', requestsInWords(report)],
    ['restarted without need', disturbed.join(', ') || 'none', disturbed.length > 0 ? 'bad' : undefined],
    ['then it said', report.decision],
    ['all of it', incident && `kurator explain ${incident.name}`],
  ]);
  if (incident) told(page, incident);
  if (dependant) told(page, dependant);
  return page.text();
}

type Row = [label: string, value: string];

/** A load that nobody takes for a fault is neither detected nor recovered from. */
function courseOf({ drill, detectedAfter, recoveredAfter }: Report): Row[] {
  if (drill.fault === 'load' && detectedAfter === undefined) return [['detected', 'nothing, as it should be']];
  return [
    ['detected after', seconds(detectedAfter) ?? 'not at all'],
    ['recovered after', seconds(recoveredAfter) ?? 'not within its time'],
  ];
}

function seconds(amount: number | undefined): string | undefined {
  return amount === undefined ? undefined : duration(amount * 1000);
}

function requestsInWords({ requests, lastLostAfter }: Report): string {
  if ('unmeasured' in requests) return `not measured: ${requests.unmeasured}`;
  const { lost, sent, ratePerSecond } = requests;
  const last = lost > 0 ? `, the last one after ${seconds(lastLostAfter)}` : '';
  return `${lost} of ${sent}, at ${ratePerSecond} a second${last}`;
}

function told(page: Page, { name, cause, confidence, reasons, stages, actions }: Told): void {
  const words: Readonly<Record<string, string>> = causeInWords;
  page.title(`What Kurator did, and why (incident ${name})`);
  page.fields([['cause', cause && `${words[cause] ?? cause}${confidence ? ` (${confidence})` : ''}`]], '  ');
  page.items(reasons.filter((reason) => reason !== words[cause ?? '']));
  for (const { at, stage, reason } of stages) page.item(`${stage}: ${reason}`, `  ${clock(Date.parse(at))}  `);
  if (actions.length === 0) page.item('it did nothing itself');
  for (const { step, targets, outcome } of actions)
    page.item(`${[step, targets.join(', ')].filter(Boolean).join(' ')}: ${outcome}`);
}
