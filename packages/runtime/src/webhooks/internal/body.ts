/** Reads the bodies of calls: JSON that was posted, and not too much of it, neither of one nor of all together. */
import type { IncomingMessage } from 'node:http';
import { Refusal } from './refusal.ts';

// No API server waits longer for the answer.
const WITHIN = 30_000;
// Whoever was refused may go on sending for a moment, so that he reads why; then the connection is closed.
const LINGER = 2_000;

interface Reading {
  size: number;
  refuse(why: Refusal): void;
}

/** The bodies that are held at the same time. */
export class Bodies {
  /** The most bytes of all of them together. */
  readonly #most: number;
  readonly #reading = new Set<Reading>();
  #held = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Reads a body, and holds its bytes until `use` is done with it. */
  async with<T>(request: IncomingMessage, limit: number, use: (body: string) => Promise<T>): Promise<T> {
    check(request, limit);
    const reading: Reading = { size: 0, refuse: () => {} };
    try {
      return await use(await this.#read(request, limit, reading));
    } finally {
      this.#reading.delete(reading);
      this.#held -= reading.size;
    }
  }

  async #read(request: IncomingMessage, limit: number, reading: Reading): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const chunks: Buffer[] = [];
    let refused = false;
    reading.refuse = (why) => {
      if (refused) return;
      refused = true;
      chunks.length = 0;
      closeUnlessComplete(request);
      reject(why);
    };
    const slow = setTimeout(() => reading.refuse(new Refusal(408, 'the body did not come in time')), WITHIN);
    this.#reading.add(reading);
    request.on('data', (chunk: Buffer) => {
      if (refused) return;
      chunks.push(chunk);
      reading.size += chunk.length;
      this.#held += chunk.length;
      if (reading.size > limit) reading.refuse(tooLarge(limit));
      else if (this.#held > this.#most) this.#refuseLargest();
    });
    request.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    request.once('error', reject);
    request.once('close', () => reject(new Refusal(400, 'the caller is gone')));
    try {
      return await promise;
    } finally {
      clearTimeout(slow);
      this.#reading.delete(reading);
    }
  }

  /** Of those that are still coming in: many small calls shall not suffer for a large one. */
  #refuseLargest(): void {
    const [largest] = [...this.#reading].sort((a, b) => b.size - a.size);
    largest?.refuse(new Refusal(503, 'too much is asked at once: try again'));
  }
}

function check(request: IncomingMessage, limit: number): void {
  if (request.method !== 'POST') throw new Refusal(405, 'a webhook must be called by POST');
  const [contentType = ''] = (request.headers['content-type'] ?? '').split(';', 1);
  if (contentType.trim().toLowerCase() !== 'application/json') {
    throw new Refusal(415, 'the content type must be application/json');
  }
  if (Number(request.headers['content-length'] ?? 0) <= limit) return;
  closeUnlessComplete(request);
  throw tooLarge(limit);
}

function closeUnlessComplete(request: IncomingMessage): void {
  const { socket } = request;
  const timer = setTimeout(() => socket.destroy(), LINGER).unref();
  for (const event of ['end', 'close']) request.once(event, () => clearTimeout(timer));
}

function tooLarge(limit: number): Refusal {
  return new Refusal(413, `the body must be of at most ${limit} bytes`);
}
