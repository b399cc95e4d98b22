/**
 * Where each entry of a tar file lies, without reading the contents: image archives are large and mostly layers.
 * Understands ustar, GNU long names and pax headers.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { posix } from 'node:path';

export interface TarStretch {
  offset: number;
  size: number;
}

/** Thrown for bytes that are not a tar archive, or not a whole one. */
export class NotTarError extends Error {}

const BLOCK = 512;
/** Names and pax headers are short; a longer one is rubbish that should not be read into memory. */
const LARGEST_HEADER = 1024 * 1024;

/** Regular files by name, `./` and the like taken away; links lead to what they point at. */
export async function readTarIndex(file: string): Promise<Map<string, TarStretch>> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    if (size < BLOCK) throw new NotTarError('it is not a tar archive');
    return await scan(handle, size);
  } finally {
    await handle.close();
  }
}

/** What extension headers say about the entry after them, instead of what its own header says. */
interface Overrides {
  path?: string;
  linkpath?: string;
  size?: number;
}

interface Found {
  files: Map<string, TarStretch>;
  /** Name of a link, and of the file it means. */
  links: Map<string, string>;
}

async function scan(handle: FileHandle, end: number): Promise<Map<string, TarStretch>> {
  const found: Found = { files: new Map(), links: new Map() };
  let overrides: Overrides = {};
  for (let at = 0; at + BLOCK <= end; ) {
    const header = await readAt(handle, at, BLOCK);
    if (header.every((byte) => byte === 0)) break;
    checkSum(header, at);
    const body = { offset: at + BLOCK, size: overrides.size ?? numberField(header, 124, 12) };
    if (!(body.offset + body.size <= end)) throw new NotTarError('it ends in the middle: the archive was cut off');
    const extension = EXTENSIONS[typeOf(header)];
    if (extension) overrides = { ...overrides, ...extension(await readExtension(handle, body)) };
    else {
      addEntry(found, header, body, overrides);
      overrides = {};
    }
    at = body.offset + Math.ceil(body.size / BLOCK) * BLOCK;
  }
  for (const [name, target] of found.links) {
    const file = found.files.get(target);
    if (file) found.files.set(name, file);
  }
  return found.files;
}

function addEntry({ files, links }: Found, header: Buffer, body: TarStretch, overrides: Overrides): void {
  const name = cleanName(overrides.path ?? ustarName(header));
  const target = overrides.linkpath ?? textField(header, 157, 100);
  const type = typeOf(header);
  if (type === '0' || type === '\0') files.set(name, body);
  if (type === '1') links.set(name, cleanName(target));
  if (type === '2') links.set(name, cleanName(posix.join(posix.dirname(name), target)));
}

const EXTENSIONS: Record<string, (body: Buffer) => Overrides> = {
  g: () => ({}),
  x: paxOverrides,
  L: (body) => ({ path: untilNul(body) }),
  K: (body) => ({ linkpath: untilNul(body) }),
};

async function readExtension(handle: FileHandle, { offset, size }: TarStretch): Promise<Buffer> {
  if (size > LARGEST_HEADER) throw new NotTarError('it is damaged: a tar header in it is of absurd length');
  return await readAt(handle, offset, size);
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead < length) throw new NotTarError('it became shorter while it was read');
  return buffer;
}

function checkSum(header: Buffer, at: number): void {
  let sum = 8 * 32;
  for (const [index, byte] of header.entries()) if (index < 148 || index >= 156) sum += byte;
  if (sum === numberField(header, 148, 8)) return;
  throw new NotTarError(at === 0 ? 'it is not a tar archive' : 'it is damaged: a tar header in it is wrong');
}

/** Each record is `LENGTH KEY=VALUE\n`, where LENGTH counts the whole record in bytes. */
function paxOverrides(body: Buffer): Overrides {
  const overrides: Overrides = {};
  for (let at = 0; at < body.length; ) {
    const length = Number.parseInt(body.toString('latin1', at, at + 12), 10);
    if (!(length > 0)) break;
    const [, key, value] = /^\d+ ([^=]+)=(.*)\n$/s.exec(body.toString('utf8', at, at + length)) ?? [];
    if (value !== undefined && (key === 'path' || key === 'linkpath')) overrides[key] = value;
    if (key === 'size') overrides.size = Number(value);
    at += length;
  }
  return overrides;
}

function typeOf(header: Buffer): string {
  return String.fromCharCode(header[156] as number);
}

function ustarName(header: Buffer): string {
  const name = textField(header, 0, 100);
  const hasPrefix = header.toString('latin1', 257, 263) === 'ustar\0' && header[345] !== 0;
  return hasPrefix ? `${textField(header, 345, 155)}/${name}` : name;
}

function textField(header: Buffer, start: number, length: number): string {
  return untilNul(header.subarray(start, start + length));
}

function untilNul(bytes: Buffer): string {
  const nul = bytes.indexOf(0);
  return bytes.toString('utf8', 0, nul < 0 ? bytes.length : nul);
}

/** Octal digits, or with the first bit set a big-endian number. */
function numberField(header: Buffer, start: number, length: number): number {
  const field = header.subarray(start, start + length);
  const first = field[0] as number;
  if (first < 0x80) return Number.parseInt(field.toString('latin1').replaceAll('\0', ' ').trim() || '0', 8);
  return field.subarray(1).reduce((value, byte) => value * 256 + byte, first & 0x7f);
}

function cleanName(name: string): string {
  return posix.normalize(`/${name}`).slice(1).replace(/\/$/, '');
}
