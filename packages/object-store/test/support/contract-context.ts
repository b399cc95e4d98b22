/** What the tests of the contract work with. */
import { createHash, randomUUID } from 'node:crypto';
import type { ListPage, ObjectStore } from '../../src/index.ts';

export const MiB = 2 ** 20;

/** A store under test. Each call gives another client of the same store. */
export interface Subject extends AsyncDisposable {
  client(): ObjectStore;
}

/** The subject of one run of the contract, from its first test on. */
export class ContractContext implements AsyncDisposable {
  readonly #opened: ObjectStore[] = [];
  #subject: Subject | undefined;
  #store: ObjectStore | undefined;

  async start(start: () => Promise<Subject>): Promise<void> {
    this.#subject = await start();
    this.#store = this.client();
  }

  get store(): ObjectStore {
    if (!this.#store) throw new Error('the store is there from the first test on');
    return this.#store;
  }

  client(): ObjectStore {
    if (!this.#subject) throw new Error('the store is there from the first test on');
    const made = this.#subject.client();
    this.#opened.push(made);
    return made;
  }

  /** A folder of its own for every test. */
  own(): string {
    return `${randomUUID()}/`;
  }

  async read(key: string, from = this.store): Promise<Buffer> {
    return await (await from.get(key)).bytes();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const made of this.#opened) await made[Symbol.asyncDispose]();
    await this.#subject?.[Symbol.asyncDispose]();
  }
}

export const text = (value: string) => Buffer.from(value);

export const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** A stream of it. */
export async function* inPieces(bytes: Buffer, size = 100_000): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** All pages of a list as one. */
export async function all(pages: AsyncIterable<ListPage>) {
  const read = await Array.fromAsync(pages);
  return {
    keys: read.flatMap(({ objects }) => objects.map(({ key }) => key)),
    prefixes: read.flatMap(({ prefixes }) => prefixes),
    pages: read.length,
  };
}
