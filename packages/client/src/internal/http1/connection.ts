/** One connection of HTTP/1.1: one request at a time, then its answer. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { ConnectionLost } from '../engine.ts';
import { type AnswerListener, ResponseParser } from './response-parser.ts';

/** Hears of the answer to one request. What it throws ends the request, and comes back to it as its error. */
export interface Receiver {
  onHead(status: number, headers: IncomingHttpHeaders): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  onError(error: unknown): void;
}

export class Connection implements AnswerListener {
  readonly #socket: Socket;
  readonly #parser = new ResponseParser(this);
  readonly #onFree: (connection: Connection, reusable: boolean) => void;
  #receiver: Receiver | undefined;
  /** performance.now() since when nothing is under way. */
  idleSince = 0;

  /** @param onFree Called when a request has ended, in whatever way. */
  constructor(socket: Socket, onFree: (connection: Connection, reusable: boolean) => void) {
    this.#socket = socket;
    this.#onFree = onFree;
    socket.on('data', this.#onBytes);
    socket.on('error', this.#onSocketError);
    socket.on('close', this.#onClose);
  }

  /** Whether a request sent now could be answered. */
  get usable(): boolean {
    return this.#socket.writable && !this.#socket.readableEnded;
  }

  /** Sends a request; only when none is under way. */
  send(bytes: string, receiver: Receiver): void {
    this.#receiver = receiver;
    this.#parser.await();
    this.#socket.ref();
    // A socket that is gone says nothing of what is written to it.
    if (this.usable) this.#socket.write(bytes);
    else process.nextTick(this.#onClose);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Lets the process end although this connection is open. */
  rest(): void {
    this.idleSince = performance.now();
    this.#socket.unref();
  }

  destroy(error?: unknown): void {
    const receiver = this.#take();
    this.#socket.destroy();
    receiver?.onError(error);
  }

  onHead(status: number, headers: IncomingHttpHeaders): void {
    this.#receiver?.onHead(status, headers);
  }

  onData(chunk: Buffer): void {
    this.#receiver?.onData(chunk);
  }

  onEnd(reusable: boolean): void {
    this.#receiver?.onEnd();
    this.#receiver = undefined;
    // Whoever did not read it to its end may have made the server wait: the next one has nothing to do with that.
    this.#socket.resume();
    if (!reusable) this.#socket.destroy();
    this.#onFree(this, reusable);
  }

  readonly #onBytes = (bytes: Buffer): void => {
    try {
      this.#parser.feed(bytes);
    } catch (error) {
      this.#fail(error);
    }
  };

  readonly #onSocketError = (error: Error): void => this.#fail(error);

  readonly #onClose = (): void => {
    try {
      if (this.#receiver && this.#parser.finish()) return;
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#fail(new ConnectionLost('the connection was closed before the answer was complete'));
  };

  #fail(error: unknown): void {
    const receiver = this.#take();
    this.#socket.destroy();
    this.#onFree(this, false);
    receiver?.onError(error);
  }

  #take(): Receiver | undefined {
    const receiver = this.#receiver;
    this.#receiver = undefined;
    return receiver;
  }
}
