/**
 * Reads one HTTP/1.1 response, piece by piece as it comes, one character a byte. Holds no more than its bounds, and
 * stops at the first thing that no response has. Far cheaper than a general parser: it reads what a check needs.
 */
import type { ErrorKind } from '../error-kind.ts';

/** Status line and headers, with those of interim responses and trailers. */
const HEAD_BYTES = 32_768;
const CHUNK_LINE_BYTES = 1024;
const MAGIC = 'HTTP/1.';
const STATUS_LINE = /^HTTP\/1\.\d (\d{3})(?: |$)/;
const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** `more`: it goes on. `done`: read whole, or as much as wanted. `bad`: see {@link ResponseReader.problem}. */
export type Progress = 'more' | 'done' | 'bad';

type Part = 'head' | 'length' | 'until-close' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailers' | 'over';

/** How much of the body to read, and whether to keep it. */
export interface BodyWish {
  readonly bytes: number;
  readonly keep: boolean;
  /** The method was HEAD: lengths are told, and no body comes. */
  readonly none: boolean;
}

export class ResponseReader {
  status = 0;
  /** By lower-case name; values of repeated ones are joined by a comma. */
  headers: ReadonlyMap<string, string> = new Map();
  body = '';
  /** The body went on after as much of it as was wanted. */
  cut = false;
  problem: { kind: ErrorKind; message: string } | undefined;

  readonly #wish: BodyWish;
  #part: Part = 'head';
  #pending = '';
  /** How much of what is pending has no end of the headers: a server that sends single bytes must cost us little. */
  #searched = 0;
  #headBytes = 0;
  #bodyBytes = 0;
  /** Of the body, or of the current chunk. */
  #left = 0;

  constructor(wish: BodyWish) {
    this.#wish = wish;
  }

  /** Status and headers are there. */
  get begun(): boolean {
    return this.#part !== 'head';
  }

  push(text: string): Progress {
    this.#pending = this.#pending === '' ? text : this.#pending + text;
    let progress: Progress | 'next' = 'next';
    while (progress === 'next') progress = this.#step();
    return progress;
  }

  /** The other side has closed. */
  end(): Progress {
    if (this.#part === 'until-close' || this.#part === 'over') return 'done';
    if (this.begun) return this.#bad('truncated', `closed after ${this.#bodyBytes} bytes, in the middle of the body`);
    if (this.#pending === '' && this.#headBytes === 0) return this.#bad('closed', '');
    return this.#bad('truncated', 'closed in the middle of the headers');
  }

  /** Does what can be done with what is pending; `next` when there may be more to do. */
  #step(): Progress | 'next' {
    switch (this.#part) {
      case 'head':
        return this.#readHead();
      case 'length':
      case 'until-close':
      case 'chunk':
        return this.#readBody();
      case 'chunk-size':
        return this.#readChunkSize();
      case 'chunk-end':
        return this.#readChunkEnd();
      case 'trailers':
        return this.#readTrailer();
      case 'over':
        return 'done';
    }
  }

  #readHead(): Progress | 'next' {
    const head = this.#pending;
    const start = head.slice(0, MAGIC.length);
    if (start !== MAGIC.slice(0, start.length))
      return this.#bad('protocol', `answered ${JSON.stringify(head.slice(0, 40))}`);
    const end = endOfHead(head, Math.max(0, this.#searched - 2));
    this.#searched = head.length;
    if (this.#headBytes + (end ? end.next : head.length) > HEAD_BYTES) {
      return this.#bad('too-large', `more than ${HEAD_BYTES} bytes of headers`);
    }
    if (!end) return 'more';
    this.#headBytes += end.next;
    this.#searched = 0;
    this.#pending = head.slice(end.next);
    return this.#parseHead(head.slice(0, end.at));
  }

  #parseHead(text: string): Progress | 'next' {
    const [statusLine = '', ...fields] = text.split(/\r?\n/);
    const match = STATUS_LINE.exec(statusLine);
    if (!match) return this.#bad('protocol', `answered ${JSON.stringify(statusLine.slice(0, 40))}`);
    const status = Number(match[1]);
    // 100 Continue, 103 Early Hints: the real response follows.
    if (status < 200 && status !== 101) return 'next';
    const headers = parseFields(fields);
    if (typeof headers === 'string')
      return this.#bad('protocol', `a header line reads ${JSON.stringify(headers.slice(0, 40))}`);
    this.status = status;
    this.headers = headers;
    return this.#beginBody();
  }

  #beginBody(): Progress | 'next' {
    const { status, headers } = this;
    if (this.#wish.none || status === 101 || status === 204 || status === 304) return this.#over();
    const coding = headers.get('transfer-encoding');
    if (coding !== undefined) {
      this.#part = /(^|[ ,])chunked$/i.test(coding) ? 'chunk-size' : 'until-close';
      return 'next';
    }
    const length = headers.get('content-length');
    if (length === undefined) {
      this.#part = 'until-close';
      return 'next';
    }
    const bytes = contentLength(length);
    if (bytes === undefined) return this.#bad('protocol', `Content-Length is ${JSON.stringify(length.slice(0, 40))}`);
    this.#part = 'length';
    this.#left = bytes;
    return bytes === 0 ? this.#over() : 'next';
  }

  #readBody(): Progress | 'next' {
    const bounded = this.#part !== 'until-close';
    const room = this.#wish.bytes - this.#bodyBytes;
    const take = Math.min(this.#pending.length, room, bounded ? this.#left : Number.POSITIVE_INFINITY);
    if (this.#wish.keep) this.body += this.#pending.slice(0, take);
    this.#bodyBytes += take;
    this.#left -= take;
    this.#pending = this.#pending.slice(take);
    if (bounded && this.#left === 0) {
      if (this.#part === 'length') return this.#over();
      this.#part = 'chunk-end';
      return 'next';
    }
    if (take === room && (this.#pending !== '' || bounded)) {
      this.cut = true;
      return this.#over();
    }
    return 'more';
  }

  #readChunkSize(): Progress | 'next' {
    const line = this.#takeLine();
    if (line === undefined) {
      return this.#pending.length > CHUNK_LINE_BYTES ? this.#bad('protocol', 'a chunk size is no number') : 'more';
    }
    const size = /^([0-9a-f]{1,8})[ \t]*(?:;|$)/i.exec(line)?.[1];
    if (size === undefined) return this.#bad('protocol', `a chunk size is ${JSON.stringify(line.slice(0, 40))}`);
    this.#left = Number.parseInt(size, 16);
    this.#part = this.#left === 0 ? 'trailers' : 'chunk';
    return 'next';
  }

  #readChunkEnd(): Progress | 'next' {
    const line = this.#takeLine();
    if (line === '') {
      this.#part = 'chunk-size';
      return 'next';
    }
    if (line === undefined && this.#pending.length < 2) return 'more';
    return this.#bad('protocol', 'a chunk is longer than its size');
  }

  #readTrailer(): Progress | 'next' {
    const line = this.#takeLine();
    this.#headBytes += line?.length ?? 0;
    if (this.#headBytes + this.#pending.length > HEAD_BYTES) {
      return this.#bad('too-large', `more than ${HEAD_BYTES} bytes of headers and trailers`);
    }
    if (line === undefined) return 'more';
    return line === '' ? this.#over() : 'next';
  }

  /** Without its line break; undefined while that is not there. */
  #takeLine(): string | undefined {
    const end = this.#pending.indexOf('\n');
    if (end < 0) return undefined;
    const line = this.#pending.slice(0, this.#pending[end - 1] === '\r' ? end - 1 : end);
    this.#pending = this.#pending.slice(end + 1);
    return line;
  }

  #over(): Progress {
    this.#part = 'over';
    return 'done';
  }

  #bad(kind: ErrorKind, message: string): Progress {
    this.problem = { kind, message };
    return 'bad';
  }
}

/** Where the headers end, and where the body begins. Single line feeds are accepted, as RFC 9112 allows. */
function endOfHead(text: string, from: number): { at: number; next: number } | undefined {
  const proper = text.indexOf('\n\r\n', from);
  const lenient = text.indexOf('\n\n', from);
  if (proper < 0 && lenient < 0) return undefined;
  if (lenient < 0 || (proper >= 0 && proper < lenient)) return { at: proper - 1, next: proper + 3 };
  return { at: lenient, next: lenient + 2 };
}

/** The headers, or the line that is none. */
function parseFields(lines: readonly string[]): Map<string, string> | string {
  const headers = new Map<string, string>();
  let last = '';
  for (const line of lines) {
    // A value of several lines: long deprecated, still sent.
    if (last !== '' && (line.startsWith(' ') || line.startsWith('\t'))) {
      headers.set(last, `${headers.get(last)} ${line.trim()}`);
      continue;
    }
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0));
    if (!FIELD_NAME.test(name)) return line;
    const value = line.slice(colon + 1).trim();
    const key = name.toLowerCase();
    last = key;
    const before = headers.get(key);
    headers.set(key, before === undefined ? value : `${before}, ${value}`);
  }
  return headers;
}

/** Repeated, but equal lengths are one (RFC 9110); anything else is no length. */
function contentLength(value: string): number | undefined {
  const [first = '', ...others] = value.split(',').map((text) => text.trim());
  if (!/^\d{1,15}$/.test(first) || others.some((other) => other !== first)) return undefined;
  return Number(first);
}

const redirecting = new Set([301, 302, 303, 307, 308]);
const LONGEST = 2048;

/** The path to ask next; undefined when the answer is no redirect, or leads elsewhere, and so is to be judged itself. */
export function redirectedPath(
  { status, headers }: Pick<ResponseReader, 'status' | 'headers'>,
  here: URL,
): string | undefined {
  const location = headers.get('location');
  if (!redirecting.has(status) || location === undefined || location.length > LONGEST) return undefined;
  if (!URL.canParse(location, here.href)) return undefined;
  const there = new URL(location, here);
  return there.origin === here.origin ? there.pathname + there.search : undefined;
}
