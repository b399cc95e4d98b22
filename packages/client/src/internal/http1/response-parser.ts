/**
 * Reads answers of HTTP/1.1 (RFC 9112) from the bytes of a connection, whatever pieces they come in.
 *
 *   head ──► body of a known length, in chunks, or until the connection ends ──► end ──► head of the next answer
 *
 * Bodies are handed on as views of what came in: no byte is copied.
 */
import type { IncomingHttpHeaders } from 'node:http';

/** Hears what comes. */
export interface AnswerListener {
  onHead(status: number, headers: IncomingHttpHeaders): void;
  onData(chunk: Buffer): void;
  /** `reusable`: whether another request may follow on this connection. */
  onEnd(reusable: boolean): void;
}

/** What came is no HTTP/1.1, or more of it than anybody should send. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly code = 'PROTOCOL_ERROR';
}

const LONGEST_HEAD = 64 * 1024;
const LONGEST_SIZE_LINE = 1024;
const UNTIL_CLOSE = -1;

type State = 'head' | 'length' | 'close' | 'size' | 'chunk' | 'chunk-end' | 'trailer';

export class ResponseParser {
  readonly #listener: AnswerListener;
  #state: State = 'head';
  /** What came of a head or a line so far. */
  #pending: Buffer | undefined;
  /** Bytes of the body, or of the chunk, that are still to come. */
  #left = 0;
  #reusable = true;

  constructor(listener: AnswerListener) {
    this.#listener = listener;
  }

  /** @throws {ProtocolError} when what came makes no sense; nothing may be fed after that. */
  feed(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) at = this.#step(bytes, at);
  }

  /** The connection has ended. True if that is how an answer ends. */
  finish(): boolean {
    if (this.#state !== 'close') return false;
    this.#end();
    return true;
  }

  #step(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case 'head':
        return this.#head(bytes, at);
      case 'close':
        this.#listener.onData(at === 0 ? bytes : bytes.subarray(at));
        return bytes.length;
      case 'length':
      case 'chunk':
        return this.#body(bytes, at);
      case 'size':
      case 'chunk-end':
      case 'trailer':
        return this.#line(bytes, at);
    }
  }

  #head(bytes: Buffer, at: number): number {
    const before = this.#pending?.length ?? 0;
    const all = this.#pending ? Buffer.concat([this.#pending, bytes.subarray(at)]) : bytes;
    const start = this.#pending ? 0 : at;
    const end = all.indexOf('\r\n\r\n', Math.max(start, before - 3));
    if (end < 0 || end - start > LONGEST_HEAD) {
      if (all.length - start > LONGEST_HEAD) throw new ProtocolError('the head of the answer is too long');
      this.#pending = all.subarray(start);
      return bytes.length;
    }
    this.#pending = undefined;
    this.#begin(all.toString('latin1', start, end));
    return start === 0 && before > 0 ? at + end + 4 - before : end + 4;
  }

  #begin(head: string): void {
    const lines = head.split('\r\n');
    const [, minor, code] = /^HTTP\/1\.([01]) (\d{3})(?: |$)/.exec(lines[0] ?? '') ?? [];
    if (!code) throw new ProtocolError('the answer is no HTTP/1.1');
    const status = Number(code);
    // It says that the real answer is to come.
    if (status < 200) return;
    const headers = headersIn(lines);
    const connection = String(headers.connection ?? '').toLowerCase();
    this.#reusable = minor === '1' ? !connection.includes('close') : connection.includes('keep-alive');
    this.#left = bodyLength(status, headers);
    this.#state =
      headers['transfer-encoding'] && this.#left !== 0 ? 'size' : this.#left === UNTIL_CLOSE ? 'close' : 'length';
    this.#listener.onHead(status, headers);
    if (this.#state === 'length' && this.#left === 0) this.#end();
  }

  #body(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#left);
    this.#left -= end - at;
    this.#listener.onData(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end));
    if (this.#left > 0) return end;
    if (this.#state === 'chunk') this.#state = 'chunk-end';
    else this.#end();
    return end;
  }

  #line(bytes: Buffer, at: number): number {
    const newline = bytes.indexOf(0x0a, at);
    const part = bytes.subarray(at, newline < 0 ? bytes.length : newline);
    const line = this.#pending ? Buffer.concat([this.#pending, part]) : part;
    if (line.length > LONGEST_SIZE_LINE) throw new ProtocolError('a line of the answer is too long');
    if (newline < 0) {
      this.#pending = line;
      return bytes.length;
    }
    this.#pending = undefined;
    this.#take(line.toString('latin1').trimEnd());
    return newline + 1;
  }

  #take(line: string): void {
    if (this.#state === 'chunk-end') {
      if (line !== '') throw new ProtocolError('a chunk of the answer is longer than it says');
      this.#state = 'size';
    } else if (this.#state === 'trailer') {
      if (line === '') this.#end();
    } else {
      const [, size] = /^([0-9a-f]{1,12})\s*(?:;.*)?$/i.exec(line) ?? [];
      if (!size) throw new ProtocolError('a chunk of the answer has no size');
      this.#left = Number.parseInt(size, 16);
      this.#state = this.#left === 0 ? 'trailer' : 'chunk';
    }
  }

  #end(): void {
    const reusable = this.#reusable && this.#state !== 'close';
    this.#state = 'head';
    this.#listener.onEnd(reusable);
  }
}

function headersIn(lines: readonly string[]): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = {};
  for (let i = 1; i < lines.length; i++) {
    const line = lines[i] as string;
    const colon = line.indexOf(':');
    if (colon <= 0) throw new ProtocolError('a header of the answer has no name');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    const known = headers[name];
    // Several of the same name mean the same as one with a list.
    headers[name] = known === undefined ? value : `${known}, ${value}`;
  }
  return headers;
}

/** Bytes of the body; UNTIL_CLOSE if it ends with the connection, or says its own length. */
function bodyLength(status: number, headers: IncomingHttpHeaders): number {
  if (status === 204 || status === 304) return 0;
  const encoding = headers['transfer-encoding'];
  if (encoding !== undefined) {
    // A length beside it may be what an attacker wants another reader to believe.
    if (encoding.toLowerCase() !== 'chunked' || headers['content-length'] !== undefined) {
      throw new ProtocolError('the answer is encoded in a way that was not asked for');
    }
    return UNTIL_CLOSE;
  }
  const length = headers['content-length'];
  if (length === undefined) return UNTIL_CLOSE;
  if (!/^\d{1,15}$/.test(length)) throw new ProtocolError('the length of the answer is no number');
  return Number(length);
}
