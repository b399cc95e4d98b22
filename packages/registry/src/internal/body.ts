/** Reads answers, never more of them than was agreed, and believes none before its digest is right. */
import type { Readable } from 'node:stream';
import { hashFor } from '../blob.ts';
import type { RepositoryName } from '../image-name.ts';
import { isRecord, jsonIn } from '../json.ts';
import { badContent, tooSlow } from './trouble.ts';

/** In milliseconds. Somebody who sends a byte now and then is never idle, and never done. */
const LONGEST_READING = 60_000;

/** All of a body, or an error where it is longer, or takes too long. */
export async function readBytes(body: Readable, atMost: number, place: RepositoryName, what: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const deadline = Date.now() + LONGEST_READING;
  let size = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (Date.now() > deadline) throw tooSlow(place, what);
    // Leaving the loop destroys the body, and with it the connection.
    if (size > atMost) throw badContent(place, `more than ${atMost} bytes as ${what}`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export async function readJson(body: Readable, atMost: number, place: RepositoryName, what: string): Promise<object> {
  return parseJson(await readBytes(body, atMost, place, what), place, what);
}

export function parseJson(bytes: Uint8Array, place: RepositoryName, what: string): object {
  const value = jsonIn(Buffer.from(bytes).toString('utf8'));
  if (isRecord(value)) return value;
  throw badContent(place, `something that is no JSON object as ${what}`);
}

/** What of a refusal is worth quoting. */
export async function readText(body: Readable, atMost: number): Promise<string> {
  let text = '';
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString('utf8');
      if (text.length > atMost) break;
    }
  } catch {
    // What came before is enough.
  }
  return text.slice(0, atMost);
}

/** Content on its way: gives out the parts, and at the end an error instead of the end if it was not what was promised. */
export class Verifier {
  readonly #place: RepositoryName;
  readonly #promised: { readonly digest: string; readonly size: number };
  readonly #hash;
  #size = 0;

  constructor(promised: { readonly digest: string; readonly size: number }, place: RepositoryName) {
    this.#place = place;
    this.#promised = promised;
    this.#hash = hashFor(promised.digest);
  }

  /** How much was there so far. */
  get size(): number {
    return this.#size;
  }

  add(chunk: Uint8Array): void {
    const { digest, size } = this.#promised;
    this.#size += chunk.byteLength;
    if (this.#size > size) throw badContent(this.#place, `more than the ${size} bytes that ${digest} has`);
    this.#hash.add(chunk);
  }

  end(): void {
    const { digest, size } = this.#promised;
    if (this.#size !== size)
      throw badContent(this.#place, `${this.#size} bytes in the place of the ${size} that ${digest} has`);
    if (this.#hash.digest() !== digest) throw badContent(this.#place, `something else in the place of ${digest}`);
  }
}
