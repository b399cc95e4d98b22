/** As much of protocol buffers as etcd's messages take: numbers, texts, bytes, and messages in messages. Fields that nobody asks for are skipped. */

/** `id`: 64 bits, as hexadecimal digits, for an id is a name. `int`: a number that JavaScript can count to. */
export type Scalar = 'id' | 'int' | 'text' | 'flag' | 'bytes';
type Kind = Scalar | Shape;
/** A field: its number, what it is, and whether there may be many. */
export type Field = readonly [number: number, kind: Kind] | readonly [number: number, kind: Kind, many: 'many'];
/** A message by the names of its fields. */
export interface Shape {
  readonly [name: string]: Field;
}

type ValueOf<K> = K extends 'id' | 'text'
  ? string
  : K extends 'int'
    ? number
    : K extends 'flag'
      ? boolean
      : K extends 'bytes'
        ? Buffer
        : K extends Shape
          ? Message<K>
          : never;
/** A message as it is read: a field that was not sent has the value that stands for that. */
export type Message<S extends Shape> = {
  readonly [N in keyof S]: S[N] extends readonly [number, infer K, 'many'] ? readonly ValueOf<K>[] : ValueOf<S[N][1]>;
};
/** A message to be written: what is left out is not sent. */
export type Draft<S extends Shape> = {
  readonly [N in keyof S]?: S[N] extends readonly [number, infer K, 'many'] ? readonly DraftOf<K>[] : DraftOf<S[N][1]>;
};
type DraftOf<K> = K extends Shape ? Draft<K> : ValueOf<K>;

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

export function encode<S extends Shape>(shape: S, draft: Draft<S>): Buffer {
  const parts: Buffer[] = [];
  for (const [name, [number, kind]] of Object.entries(shape)) {
    const value: unknown = draft[name];
    for (const one of Array.isArray(value) ? value : value === undefined ? [] : [value]) {
      parts.push(...encodeField(number, kind, one));
    }
  }
  return Buffer.concat(parts);
}

function encodeField(number: number, kind: Kind, value: unknown): Buffer[] {
  const tag = (type: number) => varint(BigInt((number << 3) | type));
  if (kind === 'id') return [tag(VARINT), varint(BigInt(`0x${value as string}`))];
  if (kind === 'int' || kind === 'flag') return [tag(VARINT), varint(BigInt(Number(value)))];
  const bytes =
    typeof kind === 'object'
      ? encode(kind, value as Draft<Shape>)
      : typeof value === 'string'
        ? Buffer.from(value)
        : (value as Buffer);
  return [tag(BYTES), varint(BigInt(bytes.length)), bytes];
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  do {
    const more = rest > 0x7fn ? 0x80 : 0;
    bytes.push(Number(rest & 0x7fn) | more);
    rest >>= 7n;
  } while (rest > 0n);
  return Buffer.from(bytes);
}

/** @throws If the bytes are no message. */
export function decode<S extends Shape>(shape: S, bytes: Buffer): Message<S> {
  const names = new Map(Object.entries(shape).map(([name, [number]]) => [number, name]));
  const message: Record<string, unknown> = Object.fromEntries(
    Object.entries(shape).map(([name, [, kind, many]]) => [name, many ? [] : emptyOf(kind)]),
  );
  const reader = new Reader(bytes);
  while (!reader.isAtEnd) {
    const tag = Number(reader.varint());
    const name = names.get(tag >>> 3);
    const content = reader.content(tag & 7);
    const field = name === undefined ? undefined : shape[name];
    if (name === undefined || !field) continue;
    const [, kind, many] = field;
    const value = decodeValue(kind, content);
    if (many) (message[name] as unknown[]).push(value);
    else message[name] = value;
  }
  return message as Message<S>;
}

function decodeValue(kind: Kind, content: bigint | Buffer): unknown {
  if (typeof content === 'bigint') {
    if (kind === 'id') return content.toString(16);
    if (kind === 'flag') return content !== 0n;
    if (kind === 'int') return Number(BigInt.asIntN(64, content));
    throw new Error('a number where there should be none');
  }
  if (kind === 'text') return content.toString();
  if (kind === 'bytes') return content;
  if (typeof kind === 'object') return decode(kind, content);
  throw new Error('no number where there should be one');
}

function emptyOf(kind: Kind): unknown {
  if (typeof kind === 'object') return decode(kind, Buffer.alloc(0));
  return { id: '0', int: 0, text: '', flag: false, bytes: Buffer.alloc(0) }[kind];
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) break;
      this.#at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new Error('a number that has no end');
  }

  content(type: number): bigint | Buffer {
    switch (type) {
      case VARINT:
        return this.varint();
      case BYTES:
        return this.#take(Number(this.varint()));
      case FIXED64:
        return this.#take(8);
      case FIXED32:
        return this.#take(4);
      default:
        throw new Error(`a field of the unknown type ${type}`);
    }
  }

  #take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new Error('a field that is cut off');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}
