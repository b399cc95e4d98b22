/**
 * Reads answers of HTTP/1.1 (RFC 9112) from the bytes of a connection, whatever pieces they come in, one for each time
 * that one is awaited:
 *
 *   idle ─await()─► head ──► body of a known length, in chunks, or until the connection ends ──► idle
 *
 * A byte that comes while none is awaited, be it right behind an answer, is nobody's: a later request must not read it.
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
class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly code = 'PROTOCOL_ERROR';
}

/** The most bytes of a head, and of all trailers. */
export const LONGEST_HEAD = 64 * 1024;
const LONGEST_SIZE_LINE = 1024;
const UNTIL_CLOSE = -1;
const IN_CHUNKS = -2;
const NO_ROOM = Buffer.alloc(0);

type State = 'idle' | 'head' | 'length' | 'close' | 'size' | 'chunk' | 'chunk-end' | 'trailer';

export class ResponseParser {
  readonly #listener: AnswerListener;
  #state: State = 'idle';
  /** What came of a head or a line so far: this many bytes of a buffer that has room for more. */
  #held = 0;
  #room = NO_ROOM;
  /** Bytes of the body, or of the chunk, that are still to come. */
  #left = 0;
  #trailerBytes = 0;
  #reusable = true;

  constructor(listener: AnswerListener) {
    this.#listener = listener;
  }

  /** What comes from now on is the answer to a request. */
  await(): void {
    this.#state = 'head';
  }

  /** @throws {ProtocolError} when what came makes no sense, or nothing was awaited; nothing may be fed after that. */
  feed(bytes: Buffer): void {
    if (this.#state === 'idle') throw new ProtocolError('the server answers what was not asked');
    let at = 0;
    while (at < bytes.length && this.#isAwaiting()) at = this.#step(bytes, at);
    if (this.#isAwaiting()) return;
    // Who sends more than was asked for can't be trusted to know where the next answer begins.
    this.#listener.onEnd(this.#reusable && at === bytes.length);
  }

  /** The connection has ended. True if that is how an answer ends. */
  finish(): boolean {
    if (this.#state !== 'close') return false;
    this.#state = 'idle';
    this.#listener.onEnd(false);
    return true;
  }

  #isAwaiting(): boolean {
    return this.#state !== 'idle';
  }

  #step(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case 'head':
        return this.#head(bytes, at);
      case 'length':
      case 'chunk':
        return this.#body(bytes, at);
      case 'size':
      case 'chunk-end':
      case 'trailer':
        return this.#line(bytes, at);
      default:
        this.#listener.onData(at === 0 ? bytes : bytes.subarray(at));
        return bytes.length;
    }
  }

  #head(bytes: Buffer, at: number): number {
    const before = this.#held;
    const all = this.#joined(bytes.subarray(at));
    const end = all.indexOf('\r\n\r\n', Math.max(0, before - 3));
    // Without its end there may be all but the last byte of that: what comes in pieces must not be refused sooner.
    if (end > LONGEST_HEAD || (end < 0 && all.length > LONGEST_HEAD + 3)) {
      throw new ProtocolError('the head of the answer is too long');
    }
    if (end < 0) return this.#hold(all, bytes);
    this.#held = 0;
    this.#begin(all.toString('latin1', 0, end));
    return at + end + 4 - before;
  }

  /** This, behind what came before. */
  #joined(part: Buffer): Buffer {
    if (this.#held === 0) return part;
    const length = this.#held + part.length;
    if (length > this.#room.length) {
      // Twice as much each time: whoever sends byte by byte shouldn't make us copy all of it each time.
      const larger = Buffer.allocUnsafe(2 * length);
      this.#room.copy(larger, 0, 0, this.#held);
      this.#room = larger;
    }
    part.copy(this.#room, this.#held);
    return this.#room.subarray(0, length);
  }

  /** Keeps it until more comes; that is, until after all of `bytes`. */
  #hold(all: Buffer, bytes: Buffer): number {
    if (this.#held === 0) this.#room = Buffer.from(all);
    this.#held = all.length;
    return bytes.length;
  }

  #begin(head: string): void {
    // A line break that only some see as one, or a control character, is how answers are smuggled.
    if (!wholeHead.test(head)) throw new ProtocolError('the head of the answer has a control character');
    const lines = head.split('\r\n');
    const [, minor, code] = statusLine.exec(lines[0] as string) ?? [];
    if (!code) throw new ProtocolError('the answer is no HTTP/1.1');
    const status = Number(code);
    const headers = headersIn(lines);
    if (status === 101) throw new ProtocolError('the server changes to a protocol that was not asked for');
    // It says that the real answer is to come.
    if (status < 200) return;
    const { connection = '' } = headers;
    const said = bodyLength(headers);
    const length = status === 204 || status === 304 ? 0 : said;
    this.#reusable = length !== UNTIL_CLOSE && (minor === '1' ? !closes.test(connection) : staysOpen(headers));
    this.#left = length;
    if (length === 0) this.#state = 'idle';
    else if (length === IN_CHUNKS) this.#state = 'size';
    else this.#state = length === UNTIL_CLOSE ? 'close' : 'length';
    this.#listener.onHead(status, headers);
  }

  #body(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#left);
    this.#left -= end - at;
    if (this.#left === 0) this.#state = this.#state === 'chunk' ? 'chunk-end' : 'idle';
    this.#listener.onData(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end));
    return end;
  }

  #line(bytes: Buffer, at: number): number {
    const newline = bytes.indexOf(0x0a, at);
    const line = this.#joined(bytes.subarray(at, newline < 0 ? bytes.length : newline));
    const longest = this.#state === 'trailer' ? LONGEST_HEAD - this.#trailerBytes : LONGEST_SIZE_LINE;
    if (line.length > longest) throw new ProtocolError('a line of the answer is too long');
    if (newline < 0) return this.#hold(line, bytes);
    this.#held = 0;
    const whole = line.toString('latin1');
    // A line break that only some see as one is how answers are smuggled.
    if (!whole.endsWith('\r')) throw new ProtocolError('a line of the answer has no proper end');
    this.#take(whole.slice(0, -1));
    return newline + 1;
  }

  #take(line: string): void {
    if (this.#state === 'chunk-end') {
      if (line !== '') throw new ProtocolError('a chunk of the answer is longer than it says');
      this.#state = 'size';
    } else if (this.#state === 'trailer') {
      if (line === '') this.#state = 'idle';
      else if (wholeHead.test(line)) nameOf(line.slice(0, Math.max(line.indexOf(':'), 0)));
      else throw new ProtocolError('a header of the answer makes no sense');
      this.#trailerBytes += line.length + 2;
    } else {
      const [, size, more = ''] = sizeLine.exec(line) ?? [];
      if (!size) throw new ProtocolError('a chunk of the answer has no size');
      if (!extensions.test(more)) throw new ProtocolError('a chunk of the answer has an odd extension');
      this.#left = reasonable(Number.parseInt(size, 16));
      this.#trailerBytes = 0;
      this.#state = this.#left === 0 ? 'trailer' : 'chunk';
    }
  }
}

const wholeHead = /^[\t -~\x80-\xff]*(?:\r\n[\t -~\x80-\xff]+)*$/;
const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/;
const sizeLine = /^([0-9a-f]+)(;.*)?$/i;
const extensions =
  /^(?:;[!#$%&'*+.^_`|~\w-]+(?:=(?:[!#$%&'*+.^_`|~\w-]+|"(?:[\t !#-[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*"))?)*$/;
const closes = /(?:^|,)[\t ]*close[\t ]*(?:,|$)/i;
const keepsAlive = /(?:^|,)[\t ]*keep-alive[\t ]*(?:,|$)/i;
const token = /^[!#$%&'*+.^_`|~\w-]+$/;

/** HTTP/1.0 closes unless it says otherwise, and knows no chunks: whoever passed them on may see another end than we do. */
function staysOpen({ connection = '', 'transfer-encoding': encoding }: IncomingHttpHeaders): boolean {
  return keepsAlive.test(connection) && encoding === undefined;
}

function headersIn(lines: readonly string[]): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = {};
  for (let i = 1; i < lines.length; i++) {
    const line = lines[i] as string;
    const colon = line.indexOf(':');
    const name = nameOf(line.slice(0, Math.max(colon, 0)));
    const value = withoutBlanks(line, colon + 1);
    const known = headers[name];
    // Several of the same name mean the same as one with a list. What an object has by itself is no text.
    headers[name] = typeof known === 'string' ? `${known}, ${value}` : value;
  }
  return headers;
}

// Servers have few names for headers, and send the same ones with every answer.
const names = new Map<string, string>();
const MOST_NAMES = 256;

/** The name of a header in small letters. */
function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (!token.test(text)) throw new ProtocolError('a header of the answer makes no sense');
  if (names.size >= MOST_NAMES) names.clear();
  const name = text.toLowerCase();
  names.set(text, name);
  return name;
}

/** As RFC 9110 has it: blanks and tabs, and no other white space. */
function withoutBlanks(line: string, from: number): string {
  let start = from;
  let end = line.length;
  while (start < end && isBlank(line.charCodeAt(start))) start += 1;
  while (end > start && isBlank(line.charCodeAt(end - 1))) end -= 1;
  return line.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** Bytes of the body; UNTIL_CLOSE if it ends with the connection, IN_CHUNKS if each says its own length. */
function bodyLength(headers: IncomingHttpHeaders): number {
  const { 'transfer-encoding': encoding, 'content-length': length } = headers;
  if (encoding !== undefined) {
    // A length beside it may be what an attacker wants another reader to believe.
    if (encoding.toLowerCase() !== 'chunked' || length !== undefined) {
      throw new ProtocolError('the answer is encoded in a way that was not asked for');
    }
    return IN_CHUNKS;
  }
  if (length === undefined) return UNTIL_CLOSE;
  if (!/^\d+$/.test(length)) throw new ProtocolError('the length of the answer is no number');
  return reasonable(Number(length));
}

/** Beyond this, bytes can't be counted. */
function reasonable(length: number): number {
  if (Number.isSafeInteger(length)) return length;
  throw new ProtocolError('the length of the answer is too large');
}
