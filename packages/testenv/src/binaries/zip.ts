/** Unpacks ZIP archives (Go's wheel, etcd's releases for macOS): whole small archives in memory, no ZIP64, no encryption. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { TestenvError } from '../error.ts';

const inflate = promisify(inflateRaw);

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_HEADER = 0x04034b50;
const DEFLATED = 8;

interface Member {
  readonly name: string;
  readonly mode: number;
  readonly method: number;
  readonly size: number;
  readonly offset: number;
}

/**
 * Writes the members that `place` gives a path for (relative to `folder`) and leaves out the others.
 * Gives the number of files written.
 */
export async function unzip(
  archive: string,
  folder: string,
  place: (name: string) => string | undefined,
): Promise<number> {
  const bytes = await readFile(archive);
  let written = 0;
  for (const member of members(bytes, archive)) {
    const target = member.name.endsWith('/') ? undefined : place(member.name);
    if (target === undefined) continue;
    if (target.startsWith('/') || target.split('/').includes('..')) throw notAnArchive(archive, `it holds ${target}`);
    const path = join(folder, target);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, await content(bytes, member, archive), { mode: member.mode });
    written += 1;
  }
  return written;
}

function* members(bytes: Buffer, archive: string): Generator<Member> {
  const end = bytes.lastIndexOf(signature(END_OF_DIRECTORY));
  if (end < 0 || end + 22 > bytes.length) throw notAnArchive(archive, 'it has no directory at its end');
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== DIRECTORY_ENTRY) {
      throw notAnArchive(archive, 'its directory is damaged');
    }
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field));
    yield {
      name: bytes.toString('utf8', at + 46, at + 46 + Number(nameLength)),
      mode: ((bytes.readUInt32LE(at + 38) >>> 16) & 0o777) | 0o644,
      method: bytes.readUInt16LE(at + 10),
      size: bytes.readUInt32LE(at + 20),
      offset: bytes.readUInt32LE(at + 42),
    };
    at += 46 + Number(nameLength) + Number(extraLength) + Number(commentLength);
  }
}

async function content(bytes: Buffer, member: Member, archive: string): Promise<Buffer> {
  if (bytes.readUInt32LE(member.offset) !== LOCAL_HEADER) throw notAnArchive(archive, `${member.name} is damaged`);
  const start = member.offset + 30 + bytes.readUInt16LE(member.offset + 26) + bytes.readUInt16LE(member.offset + 28);
  const stored = bytes.subarray(start, start + member.size);
  return member.method === DEFLATED ? await inflate(stored) : stored;
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function notAnArchive(archive: string, why: string): TestenvError {
  return new TestenvError('KUR_TESTENV_BAD_ARCHIVE', `${archive} is not a ZIP archive that can be unpacked: ${why}.`);
}
