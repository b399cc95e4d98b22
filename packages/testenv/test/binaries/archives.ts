/** Makes small archives of the two kinds that programs are released in. */
import { deflateRawSync, gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';

/** A member of an archive. */
export interface Member {
  name: string;
  content: string | Buffer;
  mode?: number;
}

/** A gzipped tar archive. */
export async function tarGz(members: readonly Member[]): Promise<Buffer> {
  const tar = pack();
  for (const { name, content, mode = 0o644 } of members) tar.entry({ name, mode }, Buffer.from(content));
  tar.finalize();
  const parts: Buffer[] = [];
  for await (const part of tar) parts.push(part as Buffer);
  return gzipSync(Buffer.concat(parts));
}

/** A ZIP archive; empty members are stored, the others are deflated. */
export function zip(members: readonly Member[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, mode = 0o644 } of members) {
    const raw = Buffer.from(content);
    const method = raw.length === 0 ? 0 : 8;
    const stored = method === 0 ? raw : deflateRawSync(raw);
    const path = Buffer.from(name);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(path.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(stored.length, 20);
    entry.writeUInt32LE(raw.length, 24);
    entry.writeUInt16LE(path.length, 28);
    entry.writeUInt32LE((mode << 16) >>> 0, 38);
    entry.writeUInt32LE(offset, 42);
    files.push(local, path, stored);
    directory.push(entry, path);
    offset += local.length + path.length + stored.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, ...directory, end]);
}
