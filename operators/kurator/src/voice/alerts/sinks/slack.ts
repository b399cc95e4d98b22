/** Slack's incoming webhooks. */
import type { AlertChannel } from '../../../resources/alert-channel.ts';
import { type Alert, textOf } from '../alert.ts';
import { headersOf, post } from './post.ts';
import type { Sink, SinkTools } from './sink.ts';
import { addressOf } from './sink.ts';

type Settings = NonNullable<AlertChannel['spec']['slack']>;

const marks: Readonly<Record<Alert['severity'], string>> = { page: '🔴', warning: '🟠', info: '🔵', resolved: '🟢' };
/** Only these three mean anything to Slack: escaped, no text can call a whole channel. */
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

export async function slackSink(settings: Settings, { secret, reach }: SinkTools): Promise<Sink> {
  const { channel } = settings;
  const address = await addressOf(settings, secret);
  return async (alert, signal) => {
    const text = textOf(alert).replaceAll(/[&<>]/g, (character) => entities[character] ?? '');
    const body = { text: `${marks[alert.severity]} ${text}`, ...(channel && { channel }) };
    await post(address, JSON.stringify(body), headersOf({ 'content-type': 'application/json' }), { signal, reach });
  };
}
