/**
 * The program that holds a pod's namespaces, for Linux on amd64 and arm64, as bytes: a machine without a compiler needs one
 * too.
 *
 * As process 1 of a pod it must outlive every container, leave no zombie where containers share its PID namespace
 * (ignoring SIGCHLD lets the kernel reap them), and go at once when told to (process 1 ignores every signal for which
 * it has no handler).
 */

/** Where the kernel maps the file; the code begins right after the two headers. */
const BASE = 0x400000;
const ELF_HEADER = 64;
const PROGRAM_HEADER = 56;
const START = ELF_HEADER + PROGRAM_HEADER;

const SIGINT = 2;
const SIGTERM = 15;
const SIGCHLD = 17;
const SIG_IGN = 1n;
/** amd64's kernel wants it for every handler, though ours never return. */
const SA_RESTORER = 0x04000000n;

/** An arm64 system call. */
const SVC = 0xd4000001;

/** What differs between processors: their number in ELF, and the few things that the program does. */
interface Processor {
  readonly machine: number;
  readonly pageSize: bigint;
  /** `rt_sigaction(signal, action, NULL, 8)`, where `action` is the address of a struct sigaction. */
  setAction(signal: number, action: number): Uint8Array;
  /** Waits for signals, for ever. */
  readonly pause: Uint8Array;
  /** `exit_group(0)` */
  readonly exit: Uint8Array;
}

const amd64: Processor = {
  machine: 62,
  pageSize: 0x1000n,
  setAction: (signal, action) =>
    Uint8Array.from([
      ...[0xb8, ...le32(13)], //        mov  eax, 13        ; SYS_rt_sigaction
      ...[0xbf, ...le32(signal)], //    mov  edi, signal
      ...[0xbe, ...le32(action)], //    mov  esi, action
      ...[0x31, 0xd2], //               xor  edx, edx       ; the old action does not matter
      ...[0x41, 0xba, ...le32(8)], //   mov  r10d, 8        ; bytes of a signal mask
      ...[0x0f, 0x05], //               syscall
    ]),
  pause: Uint8Array.from([
    ...[0xb8, ...le32(34)], //          again: mov eax, 34  ; SYS_pause
    ...[0x0f, 0x05], //                 syscall
    ...[0xeb, 0xf7], //                 jmp  again
  ]),
  exit: Uint8Array.from([
    ...[0xb8, ...le32(231)], //         leave: mov eax, 231 ; SYS_exit_group
    ...[0x31, 0xff], //                 xor  edi, edi       ; status 0
    ...[0x0f, 0x05], //                 syscall
  ]),
};

const arm64: Processor = {
  machine: 183,
  // Some kernels have pages of 64 KiB.
  pageSize: 0x10000n,
  setAction: (signal, action) =>
    words([
      movz(0, signal), //               mov  x0, signal
      movz(1, action & 0xffff), //      mov  x1, action
      movkHigh(1, action >>> 16),
      movz(2, 0), //                    mov  x2, 0          ; the old action does not matter
      movz(3, 8), //                    mov  x3, 8          ; bytes of a signal mask
      movz(8, 134), //                  mov  x8, 134        ; SYS_rt_sigaction
      SVC,
    ]),
  pause: words([
    movz(0, 0), //                      again: mov x0, 0    ; ppoll of nothing, without a time
    movz(1, 0),
    movz(2, 0),
    movz(3, 0),
    movz(4, 8),
    movz(8, 73), //                     mov  x8, 73         ; SYS_ppoll: there is no pause
    SVC,
    0x14000000 | (-7 & 0x3ffffff), //   b    again
  ]),
  exit: words([
    movz(0, 0), //                      leave: mov x0, 0    ; status 0
    movz(8, 94), //                     mov  x8, 94         ; SYS_exit_group
    SVC,
  ]),
};

const processors = { amd64, arm64 } satisfies Record<string, Processor>;

/** What the program was written for, in the words of container platforms. */
export type PauseArchitecture = keyof typeof processors;

export function hasPauseProgram(architecture: string): architecture is PauseArchitecture {
  return Object.hasOwn(processors, architecture);
}

/** The whole ELF file. */
export function pauseProgram(architecture: PauseArchitecture): Uint8Array {
  const processor = processors[architecture];
  const { setAction, pause, exit } = processor;
  const exitAt = BASE + START + 3 * setAction(0, 0).length + pause.length;
  const ignoreAt = exitAt + exit.length;
  const leaveAt = ignoreAt + sigaction(0n, 0n, 0n).length;
  const code = Buffer.concat([
    setAction(SIGCHLD, ignoreAt),
    setAction(SIGTERM, leaveAt),
    setAction(SIGINT, leaveAt),
    pause,
    exit,
    sigaction(SIG_IGN, 0n, 0n),
    sigaction(BigInt(exitAt), SA_RESTORER, BigInt(exitAt)),
  ]);
  return Buffer.concat([elfHeader(processor), programHeader(START + code.length, processor), code]);
}

/** The kernel's struct: handler, flags, restorer, mask. */
function sigaction(handler: bigint, flags: bigint, restorer: bigint): Buffer {
  const bytes = Buffer.alloc(32);
  bytes.writeBigUInt64LE(handler, 0);
  bytes.writeBigUInt64LE(flags, 8);
  bytes.writeBigUInt64LE(restorer, 16);
  return bytes;
}

function elfHeader({ machine }: Processor): Buffer {
  const bytes = Buffer.alloc(ELF_HEADER);
  bytes.write('\x7fELF', 'latin1');
  bytes.set([2, 1, 1], 4); // 64 bits, little endian, ELF version 1
  bytes.writeUInt16LE(2, 16); // an executable
  bytes.writeUInt16LE(machine, 18);
  bytes.writeUInt32LE(1, 20);
  bytes.writeBigUInt64LE(BigInt(BASE + START), 24); // first instruction
  bytes.writeBigUInt64LE(BigInt(ELF_HEADER), 32); // where the program header is
  bytes.writeUInt16LE(ELF_HEADER, 52);
  bytes.writeUInt16LE(PROGRAM_HEADER, 54);
  bytes.writeUInt16LE(1, 56); // one program header
  return bytes;
}

/** Maps the whole file, headers and all, readable and executable. */
function programHeader(fileSize: number, { pageSize }: Processor): Buffer {
  const bytes = Buffer.alloc(PROGRAM_HEADER);
  bytes.writeUInt32LE(1, 0); // PT_LOAD
  bytes.writeUInt32LE(5, 4); // read and execute
  bytes.writeBigUInt64LE(BigInt(BASE), 16);
  bytes.writeBigUInt64LE(BigInt(BASE), 24);
  bytes.writeBigUInt64LE(BigInt(fileSize), 32);
  bytes.writeBigUInt64LE(BigInt(fileSize), 40);
  bytes.writeBigUInt64LE(pageSize, 48);
  return bytes;
}

function le32(value: number): number[] {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return [...bytes];
}

/** Sets an arm64 register to 16 bits. */
function movz(register: number, value: number): number {
  return 0xd2800000 | (value << 5) | register;
}

/** Sets the next higher 16 bits, and leaves the others. */
function movkHigh(register: number, value: number): number {
  return 0xf2a00000 | (value << 5) | register;
}

function words(instructions: readonly number[]): Uint8Array {
  return Uint8Array.from(instructions.flatMap((instruction) => le32(instruction >>> 0)));
}
