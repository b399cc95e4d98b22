/** What people are told: the same facts for every sink, which only differ in how they write them. */
import { withoutSecrets } from '@kurator/sdk';
import type { Notification, Severity } from '../../brain/alerts/notification.ts';
import { causeInWords } from '../../brain/diagnosis/cause.ts';
import type { Condition } from '../../brain/evidence/evidence.ts';
import type { Incident } from '../../brain/incident/incident.ts';
import { incidentName } from '../../memory/incident-object.ts';
import type { Kurator } from '../../resources/kurator.ts';
import { inWords, type Others } from './alerting.ts';

/** One alert, as plain data: what a webhook without a template receives. */
export interface Alert {
  /** The same when it is sent again: whoever has it already may ignore it. */
  readonly id: string;
  /** The same for all alerts about one incident, in all clusters no other's: by it a sink resolves what it has opened. */
  readonly thread: string;
  /** One for all alerts that have one reason: the incident, the incident in which it has its root, a storm, what is broken. */
  readonly group: string;
  readonly severity: Severity;
  /** `resolved` once nothing is wrong any more. */
  readonly status: 'firing' | 'resolved';
  readonly namespace: string;
  readonly service: string;
  /** The uid of the Kurator. */
  readonly uid: string;
  /** The name of the Incident. */
  readonly incident: string;
  readonly stage: string;
  /** How the service is as a whole. */
  readonly condition: Condition;
  readonly cause: string;
  readonly title: string;
  /** What happened, why it is taken for what it is, and what was done; a sentence each. */
  readonly lines: readonly string[];
  /** How the other components do, the worst first. */
  readonly others: Others;
  readonly startedAt: string;
  readonly at: string;
  /** How to read more. */
  readonly look: string;
}

/** What an alert is made of. */
export interface AlertSource {
  readonly kurator: Pick<Kurator, 'metadata'>;
  readonly incident: Incident;
  readonly notification: Notification;
  readonly others: Others;
}

// A hundred alerts have to fit into one object of the API server, which takes 1.5 MB.
const MOST_LINES = 40;
const LONGEST_LINE = 500;
const LONGEST_TEXT = 6000;
const MOST_OTHERS = 30;

export function alertOf({ kurator, incident, notification, others }: AlertSource): Alert {
  const { namespace = '', name: service, uid = '' } = kurator.metadata;
  const { cause, severity, stage } = notification;
  const name = incidentName(notification.incident);
  // A service that is deleted and made again counts its incidents from one: without its uid they would pass for old ones.
  const origin = uid.slice(0, 8);
  return {
    id: `${origin}/${notification.id}`,
    thread: `${origin}/${notification.incident}`,
    group: notification.group,
    severity,
    status: severity === 'resolved' || stage === 'dismissed' ? 'resolved' : 'firing',
    namespace,
    service,
    uid,
    incident: name,
    stage,
    condition: incident.impact.condition,
    cause: cause ? causeInWords[cause] : '',
    title: sentence(notification.title),
    lines: fitting([...notification.lines, ...(incident.diagnosis?.reasons ?? []), ...deedsOf(incident)].map(sentence)),
    others: others.slice(0, MOST_OTHERS),
    startedAt: new Date(incident.startedAt).toISOString(),
    at: new Date(notification.at).toISOString(),
    look: `kubectl -n ${namespace} get incident ${name} -o yaml`,
  };
}

function deedsOf({ attempts }: Incident): string[] {
  return attempts.flatMap(({ step, actions, result = 'under way' }) =>
    actions.map(({ reason, outcome }) => `${step}: ${reason} (${outcome?.result ?? result})`),
  );
}

/** On one line, of bearable length, without what looks like a secret. */
export function sentence(text: string): string {
  const clean = withoutSecrets(text).replaceAll(/\s*[\r\n]+\s*/g, ' ');
  return clean.length <= LONGEST_LINE ? clean : `${clean.slice(0, LONGEST_LINE - 1)}…`.toWellFormed();
}

/** As many from the beginning as there is room for. */
export function fitting(lines: readonly string[]): string[] {
  let room = LONGEST_TEXT;
  const kept = lines.slice(0, MOST_LINES).filter((line) => {
    room -= line.length;
    return room >= 0;
  });
  return kept.length === lines.length ? kept : [...kept, `… and ${lines.length - kept.length} more`];
}

const loudness: Readonly<Record<Severity, number>> = { info: 0, resolved: 1, warning: 1, page: 2 };

/** Whether an alert is loud enough for those who want to hear only what is as loud as this. */
export function isAsLoudAs({ severity }: Alert, least: Severity): boolean {
  return loudness[severity] >= loudness[least];
}

/** All of it as plain text, for sinks that show no more. */
export function textOf(alert: Alert): string {
  const others = inWords(alert.others);
  return [
    alert.title,
    '',
    ...alert.lines.map((line) => `- ${line}`),
    ...(others.length > 0 ? ['', 'Others:', ...others.map((line) => `- ${line}`)] : []),
    '',
    alert.look,
  ].join('\n');
}
