/** The sink that a channel asks for. */
import { type AuthorContext, isNotFound, parseDuration, Secret } from '@kurator/sdk';
import { isNotAllowed, roleInWords } from '../../../access/optional-roles.ts';
import type { AlertChannel } from '../../../resources/alert-channel.ts';
import type { Alert } from '../alert.ts';
import { alertmanagerSink } from './alertmanager.ts';
import { eventSink } from './event.ts';
import { pagerDutySink } from './pager-duty.ts';
import { type ReadSecret, type Sink, SinkError, type SinkTools } from './sink.ts';
import { slackSink } from './slack.ts';
import { smtpSink } from './smtp/smtp.ts';
import { webhookSink } from './webhook.ts';

type Context = Pick<AuthorContext, 'client' | 'log' | 'signal'>;

/** What sends an alert to where the channel says, in the time that it gives. Secrets are read anew: they may be changed. */
export async function openSink(
  channel: AlertChannel,
  context: Context,
  { now, reach }: Pick<SinkTools, 'now' | 'reach'>,
): Promise<(alert: Alert) => Promise<void>> {
  const { log, signal } = context;
  const tools = { secret: secretsOf(channel, context), now, reach, warn: (message: string) => log.warn(message) };
  const sink = await sinkOf(channel, tools, context);
  return async (alert) => {
    const deadline = AbortSignal.timeout(parseDuration(channel.spec.timeout));
    await sink(alert, AbortSignal.any([signal, deadline]));
  };
}

async function sinkOf({ spec }: AlertChannel, tools: SinkTools, { client, log }: Context): Promise<Sink> {
  const { webhook, slack, alertmanager, pagerDuty, smtp, events } = spec;
  if (webhook) return await webhookSink(webhook, tools);
  if (slack) return await slackSink(slack, tools);
  if (alertmanager) return await alertmanagerSink(alertmanager, tools);
  if (pagerDuty) return await pagerDutySink(pagerDuty, tools);
  if (smtp) return await smtpSink(smtp, tools);
  if (events) return eventSink(client);
  return async (alert) => log.info(alert.title, { alert });
}

function secretsOf({ metadata }: AlertChannel, { client, signal }: Context): ReadSecret {
  return async ({ name, key }) => {
    const { namespace } = metadata;
    const found = await client.get(Secret, { name, namespace }, { signal }).catch((error) => {
      if (isNotFound(error)) throw new SinkError(`Secret ${name} does not exist`);
      throw new SinkError(`Secret ${name} can't be read${isNotAllowed(error) ? `: ${roleInWords('secrets')}` : ''}`);
    });
    const value = found.data?.[key];
    if (value === undefined) throw new SinkError(`Secret ${name} has no key ${key}`);
    // Most editors and `echo` end a file with a line break that nobody means.
    return Buffer.from(value, 'base64').toString('utf8').trim();
  };
}
