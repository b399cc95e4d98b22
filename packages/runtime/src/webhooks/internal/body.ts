/** Reads the body of a call: JSON that was posted, and not too much of it. */
import type { IncomingMessage } from 'node:http';
import { Refusal } from './refusal.ts';

// No API server waits longer for the answer.
const WITHIN = 30_000;

export async function readBody(request: IncomingMessage, limit: number): Promise<string> {
  if (request.method !== 'POST') throw new Refusal(405, 'a webhook must be called by POST');
  const [contentType = ''] = (request.headers['content-type'] ?? '').split(';', 1);
  if (contentType.trim().toLowerCase() !== 'application/json') {
    throw new Refusal(415, 'the content type must be application/json');
  }
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  return await new Promise((resolve, reject) => {
    const slow = setTimeout(() => reject(new Refusal(408, 'the body did not come in time')), WITHIN);
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        chunks.length = 0;
        reject(tooLarge(limit));
      } else chunks.push(chunk);
    });
    request.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    request.once('error', reject);
    request.once('close', () => {
      clearTimeout(slow);
      reject(new Refusal(400, 'the caller is gone'));
    });
  });
}

function tooLarge(limit: number): Refusal {
  return new Refusal(413, `the body must be of at most ${limit} bytes`);
}
