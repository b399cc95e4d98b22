/** All about one service, as `kurator describe` prints it. Pure. */
import type { Screen } from '@kurator/command';
import type { Incident, Kurator } from './kinds.ts';
import { momentAndAge } from './moments.ts';
import { type Field, Page } from './page.ts';
import { toneOf } from './tones.ts';

const mostIncidents = 5;

/** @param past Its incidents, the newest first. */
export function description(kurator: Kurator, past: readonly Incident[], screen: Screen, now: number): string {
  const { metadata, status = {} } = kurator;
  const page = new Page(screen);
  page.title(`${metadata.namespace}/${metadata.name}`);
  page.fields([
    ['health', status.health, toneOf(status.health)],
    ['pods', status.ready && `${status.ready} healthy`],
    ['decision', status.decision],
    ['service', serviceInWords(kurator)],
    ['revision', status.revision],
    ['availability', status.availability],
    ['time to detect', status.mttd],
    ['time to recover', status.mttr],
    ['scaling', status.scaling],
    ['told', status.dependencyNotice],
    ['since', momentAndAge(metadata.creationTimestamp, now)],
  ]);
  limits(page, kurator);
  checks(page, kurator);
  dependencies(page, kurator);
  conditions(page, kurator);
  incidents(page, past, now);
  return page.text();
}

function serviceInWords({ metadata, spec: { service, targetRef } }: Kurator): string | undefined {
  if (targetRef) return `${targetRef.kind} ${targetRef.name}, adopted`;
  return service && `${service.kind} ${metadata.name}, of image ${service.image}`;
}

/** What keeps the healer from doing what it could. */
function limits(page: Page, { spec }: Kurator): void {
  const { steps = {} } = spec.recovery ?? {};
  const named = (test: (step: { approval?: boolean; enabled?: boolean }) => boolean) =>
    Object.entries(steps)
      .filter(([, step]) => step && test(step))
      .map(([name]) => name)
      .join(', ');
  const asked = named(({ approval }) => approval === true);
  const disabled = named(({ enabled }) => enabled === false);
  const said = [
    ...(spec.pause ? ['it is paused: it is watched, and nothing is done (`kurator resume`)'] : []),
    ...(spec.dryRun ? ['it is a dry run: what would be done is said, and not done'] : []),
    ...(asked ? [`on-call must agree to: ${asked}`] : []),
    ...(disabled ? [`never done: ${disabled}`] : []),
    ...spec.maintenance.map((window) => `maintenance: ${window.cron} (${window.timeZone}) for ${window.duration}`),
  ];
  if (said.length === 0) return;
  page.title('Limits');
  page.items(said);
}

function checks(page: Page, { spec }: Kurator): void {
  page.title('Checks');
  if (spec.checks.length === 0) page.item('none but what Kubernetes says itself');
  for (const check of spec.checks) {
    const kind = (['tcp', 'http', 'grpc', 'exec'] as const).find((one) => check[one] !== undefined) ?? '';
    const { name, through, period, timeout, failAfter, recoverAfter } = check;
    const whom = through === 'service' ? 'through the Service' : 'each pod';
    page.item(
      `${name}: ${kind}, ${whom}, every ${period}, ${timeout} at most; failing after ${failAfter}, well after ${recoverAfter}`,
    );
  }
}

function dependencies(page: Page, { status = {}, spec }: Kurator): void {
  if (spec.dependsOn.length === 0) return;
  page.title('Depends on');
  const states = Object.entries(status.dependencies ?? {});
  const fields = states.length > 0 ? states : spec.dependsOn.map((name) => [name, 'not known yet'] as const);
  page.fields(
    fields.map(([name, state]): Field => [name, state]),
    '  ',
  );
}

function conditions(page: Page, { status = {} }: Kurator): void {
  const bad = (status.conditions ?? []).filter((one) => one.status !== 'True');
  if (bad.length === 0) return;
  page.title('Conditions that do not hold');
  for (const { type, status: is, reason, message } of bad) page.item(`${type} is ${is}, ${reason}: ${message ?? ''}`);
}

function incidents(page: Page, past: readonly Incident[], now: number): void {
  page.title('Incidents');
  if (past.length === 0) page.item('none on record');
  for (const { metadata, spec, status = {} } of past.slice(0, mostIncidents)) {
    const { stage = 'new', cause, duration, summary } = status;
    const how = [cause, duration && `recovered after ${duration}`].filter(Boolean).join(', ');
    page.item(
      `${metadata.name} (${stage}), ${momentAndAge(spec.startedAt, now)}${how ? `: ${how}` : ''}${summary ? `; ${summary}` : ''}`,
    );
  }
  const [newest] = past;
  const proposal = newest?.status?.closedAt ? undefined : newest?.status?.proposal;
  if (proposal) page.item(`waits for on-call: ${proposal.reason} (\`kurator approve ${newest?.metadata.name}\`)`);
  if (newest) page.item(`more of the newest: kurator explain ${newest.metadata.name}`, '  ');
}
