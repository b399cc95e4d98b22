/** A POST to where somebody said: to no address that must not be talked to, and without a look at what is answered. */
import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import type { Reach } from './reach.ts';

/** What came back; the body is not read: it may repeat what was sent. */
export interface Answered {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/** Follows no redirect: what is sent is not meant for whoever an endpoint points to. */
export async function send(
  url: string,
  { body, headers, signal }: { body: string; headers: Headers; signal: AbortSignal },
  reach: Reach,
): Promise<Answered> {
  const { protocol, hostname } = new URL(url);
  reach.check(hostname);
  const request = protocol === 'https:' ? requestTls : requestPlain;
  return await new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      headers: Object.fromEntries(headers),
      agent: false,
      lookup: reach.lookup,
      signal,
    };
    const sending = request(url, options, (response) => {
      const { statusCode = 0, headers: answered } = response;
      // Its status has said it all; a body that never ends must not make a failure of it.
      response.destroy();
      resolve({ status: statusCode, retryAfter: answered['retry-after'] });
    });
    sending.on('error', reject);
    sending.end(body);
  });
}
