/** Any HTTP endpoint: the alert as JSON, or as a template says; signed where a key is given. */
import { createHmac } from 'node:crypto';
import type { AlertChannel } from '../../resources/alert-channel.ts';
import { addressOf } from './address.ts';
import { headersOf, post } from './post.ts';
import type { Sink, SinkTools } from './sink.ts';
import { filled } from './template.ts';

type Settings = NonNullable<AlertChannel['spec']['webhook']>;

export async function webhookSink(settings: Settings, { secret, now, reach }: SinkTools): Promise<Sink> {
  const { headers: given, bearerTokenFrom, signingKeyFrom, template } = settings;
  const address = await addressOf(settings, secret);
  const token = bearerTokenFrom && (await secret(bearerTokenFrom));
  const key = signingKeyFrom && (await secret(signingKeyFrom));
  return async (alert, signal) => {
    const headers = headersOf(
      { 'content-type': 'application/json' },
      given,
      { 'x-kurator-id': encodeURIComponent(alert.id) },
      token && { authorization: `Bearer ${token}` },
    );
    const body = template ? filled(template, alert, headers.get('content-type') ?? '') : JSON.stringify(alert);
    if (key) {
      const timestamp = String(Math.floor(now() / 1000));
      headers.set('x-kurator-timestamp', timestamp);
      headers.set('x-kurator-signature', signatureOf(key, timestamp, body));
    }
    await post(address, body, headers, { signal, reach });
  };
}

/** `sha256=` and the HMAC of `timestamp.body`: the time is in it so that an old alert can't be sent again by others. */
export function signatureOf(key: string, timestamp: string, body: string): string {
  return `sha256=${createHmac('sha256', key).update(`${timestamp}.${body}`).digest('hex')}`;
}
