/** Says what kind of file somebody took for a program, from its first bytes: the usual reason why one does not run. */
import { open } from 'node:fs/promises';
import { elfMachines } from '../internal/elf-machines.ts';
import { type Platform, platformOf } from './platform.ts';

const machMachines: Readonly<Record<number, string>> = { 16777223: 'amd64', 16777228: 'arm64' };

/** `it is a program for linux/arm64` or `it is a web page`; undefined for a file that looks right for the platform. */
export async function describeMisfit(path: string, platform: Platform = platformOf()): Promise<string | undefined> {
  const head = await firstBytes(path).catch(() => undefined);
  if (!head) return undefined;
  if (head.length === 0) return 'it is an empty file';
  if (/^\s*<(!doctype|html|\?xml)/i.test(head.toString('latin1'))) return 'it is a web page';
  const built = builtFor(head);
  const wanted = `${platform.os}/${platform.arch}`;
  return built === undefined || built === wanted ? undefined : `it is a program for ${built}, and this is ${wanted}`;
}

function builtFor(head: Buffer): string | undefined {
  if (head.length < 20) return undefined;
  if (head.readUInt32BE(0) === 0x7f454c46) {
    const machine = head[5] === 2 ? head.readUInt16BE(18) : head.readUInt16LE(18);
    return `linux/${elfMachines[machine] ?? `processor ${machine}`}`;
  }
  if (head.readUInt32LE(0) === 0xfeedfacf) return `darwin/${machMachines[head.readUInt32LE(4)] ?? 'another processor'}`;
  if (head.toString('latin1', 0, 2) === 'MZ') return 'windows';
  return undefined;
}

async function firstBytes(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
