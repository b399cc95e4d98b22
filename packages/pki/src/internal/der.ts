/**
 * The few of ASN.1's distinguished encoding rules (X.690) that a certificate needs: written from the inside out, and read
 * element by element. Node can read certificates and sign, but not write them.
 */

/** The tags that certificates are made of. */
export const Tag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  utf8String: 0x0c,
  bmpString: 0x1e,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** A tag that only its place gives a meaning, as `[3]`: around other elements, or in the place of a plain one's own. */
export function contextTag(number: number, { constructed }: { constructed: boolean }): number {
  return 0x80 | (constructed ? 0x20 : 0) | number;
}

export function element(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

export const sequence = (...contents: readonly Uint8Array[]) => element(Tag.sequence, ...contents);

/** Of bytes that are a positive number already: the highest bit of the first is clear, and the first is not zero. */
export const integer = (...bytes: readonly number[]) => element(Tag.integer, Buffer.from(bytes));

export const yes = element(Tag.boolean, Buffer.from([0xff]));

export const octetString = (content: Uint8Array) => element(Tag.octetString, content);

/** With so many bits of the last byte that mean nothing. */
export const bitString = (content: Uint8Array, unused = 0) => element(Tag.bitString, Buffer.from([unused]), content);

export const utf8String = (text: string) => element(Tag.utf8String, Buffer.from(text, 'utf8'));

/** From `2.5.29.14`. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(Tag.objectId, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** Whole seconds; two digits for the year until 2049, as RFC 5280 wants it. */
export function time(milliseconds: number): Buffer {
  const digits = `${new Date(milliseconds).toISOString().replace(/[-:T]|\.\d+Z$/g, '')}Z`;
  const isShort = Number(digits.slice(0, 4)) < 2050;
  return element(isShort ? Tag.utcTime : Tag.generalizedTime, Buffer.from(isShort ? digits.slice(2) : digits));
}

/** One element as it was read. */
export interface Element {
  readonly tag: number;
  readonly content: Buffer;
  /** With tag and length. */
  readonly whole: Buffer;
}

/** The elements that lie in these bytes, one after the other. Throws where they don't fit. */
export function elementsIn(bytes: Buffer): Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length; ) {
    const one = elementAt(bytes, at);
    found.push(one);
    at += one.whole.length;
  }
  return found;
}

function elementAt(bytes: Buffer, at: number): Element {
  const tag = bytes.readUInt8(at);
  const first = bytes.readUInt8(at + 1);
  const more = first < 0x80 ? 0 : first & 0x7f;
  if (first === 0x80 || more > 4) throw new RangeError('not a length');
  const start = at + 2 + more;
  const end = start + (more === 0 ? first : bytes.readUIntBE(at + 2, more));
  if (end > bytes.length) throw new RangeError('longer than what it is in');
  return { tag, content: bytes.subarray(start, end), whole: bytes.subarray(at, end) };
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift(0x80 | (rest & 0x7f));
  return bytes;
}
