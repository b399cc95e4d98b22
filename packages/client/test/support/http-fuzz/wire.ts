/** A connection within this process: what is written on it is a request, and what it is given to read are the pieces of an answer. */
import { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Served } from './answers.ts';

/** Something that takes the place of a socket, for Node's client as well as for ours. */
export class Wire extends Duplex {
  readonly #onRequest: () => void;
  #pending = '';

  constructor(onRequest: (wire: Wire) => void) {
    super({ allowHalfOpen: false });
    this.#onRequest = () => onRequest(this);
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#pending += chunk.toString('latin1');
    done();
    if (!this.#pending.endsWith('\r\n\r\n')) return;
    this.#pending = '';
    this.#onRequest();
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  setTimeout(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }
}

/** Lets the client read it. */
export async function serve(wire: Wire, { pieces, apart, after }: Served): Promise<void> {
  for (const piece of pieces) {
    if (wire.destroyed) return;
    wire.push(Buffer.from(piece, 'latin1'));
    if (apart) await nextTurn();
  }
  if (after !== 'stays') await nextTurn();
  if (wire.destroyed) return;
  if (after === 'ends') wire.push(null);
  if (after === 'breaks') wire.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
}
