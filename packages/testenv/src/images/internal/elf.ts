import { type FileHandle, open } from 'node:fs/promises';
import { elfMachines } from '../../internal/elf-machines.ts';

/** What the header of a Linux program says. */
export interface Elf {
  /** In the words of container platforms (`amd64`), or `machine N` for an unknown one. */
  architecture: string;
  /** Executables and position-independent executables; not libraries' object files or cores. */
  isProgram: boolean;
  /** The dynamic loader that has to be there for the program to start; undefined for a static one. */
  interpreter: string | undefined;
}

const EXECUTABLE = 2;
const SHARED = 3;
const PT_INTERP = 3;
const LONGEST_INTERPRETER = 4096;

/** Reads the headers of an ELF file; undefined if it is something else. */
export async function readElf(path: string): Promise<Elf | undefined> {
  const handle = await open(path);
  try {
    const head = Buffer.alloc(64);
    await handle.read(head, 0, head.length, 0);
    if (head.toString('latin1', 0, 4) !== '\x7fELF') return undefined;
    const numbers = numberReader(head[4] === 2, head[5] === 2);
    const type = numbers.half(head, 16);
    return {
      architecture: elfMachines[numbers.half(head, 18)] ?? `machine ${numbers.half(head, 18)}`,
      isProgram: type === EXECUTABLE || type === SHARED,
      interpreter: await readInterpreter(handle, head, numbers),
    };
  } finally {
    await handle.close();
  }
}

async function readInterpreter(handle: FileHandle, head: Buffer, numbers: NumberReader): Promise<string | undefined> {
  const { is64, half, word, address } = numbers;
  const start = address(head, is64 ? 32 : 28);
  const entrySize = half(head, is64 ? 54 : 42);
  const count = half(head, is64 ? 56 : 44);
  const table = await read(handle, start, entrySize * count);
  for (let at = 0; at + entrySize <= table.length && entrySize > 0; at += entrySize) {
    if (word(table, at) !== PT_INTERP) continue;
    const offset = address(table, at + (is64 ? 8 : 4));
    const size = address(table, at + (is64 ? 32 : 16));
    const text = await read(handle, offset, Math.min(size, LONGEST_INTERPRETER));
    return text.toString('utf8').replace(/\0.*$/s, '');
  }
  return undefined;
}

type NumberReader = ReturnType<typeof numberReader>;

function numberReader(is64: boolean, isBigEndian: boolean) {
  const half = (bytes: Buffer, at: number) => (isBigEndian ? bytes.readUInt16BE(at) : bytes.readUInt16LE(at));
  const word = (bytes: Buffer, at: number) => (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at));
  const long = (bytes: Buffer, at: number) =>
    Number(isBigEndian ? bytes.readBigUInt64BE(at) : bytes.readBigUInt64LE(at));
  return { is64, half, word, address: is64 ? long : word };
}

/** As much as there is: the numbers come from the file and may be rubbish. */
async function read(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  if (position >= (await handle.stat()).size) return Buffer.alloc(0);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
