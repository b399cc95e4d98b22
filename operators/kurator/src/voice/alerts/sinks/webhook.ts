/** Any HTTP endpoint: the alert as JSON, or as a template says; signed where a key is given. */

import { createHmac } from 'node:crypto';
import type { AlertChannel } from '../../../resources/alert-channel.ts';
import type { Alert } from '../alert.ts';
import { inWords } from '../alerting.ts';
import { headersOf, post } from './post.ts';
import { addressOf, type Sink, type SinkTools } from './sink.ts';

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

type Escape = (text: string) => string;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** How a value has to be written so that it stays a value. */
const escapes: readonly (readonly [type: RegExp, escape: Escape])[] = [
  [/json/i, (text) => JSON.stringify(text).slice(1, -1)],
  [/x-www-form-urlencoded/i, encodeURIComponent],
  [/xml|html/i, (text) => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')],
];

/**
 * `{{title}}` becomes the title, written as it must be inside a string of the content type; lists become lines. What an
 * alert doesn't have stays as it stands, for all to see.
 */
export function filled(template: string, alert: Alert, contentType: string): string {
  const written = escapes.find(([type]) => type.test(contentType))?.[1] ?? ((text: string) => text);
  const fields: Readonly<Record<string, unknown>> = { ...alert, others: inWords(alert.others) };
  return template.replaceAll(/\{\{\s*([a-zA-Z]+)\s*\}\}/g, (place, name: string) => {
    if (!Object.hasOwn(fields, name)) return place;
    const value = fields[name];
    return written((Array.isArray(value) ? value.join('\n') : String(value)).toWellFormed());
  });
}
