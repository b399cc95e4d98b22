/**
 * The program that holds a pod's namespaces, for Linux on amd64, as bytes: a machine without a compiler needs one too.
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
/** The kernel wants it for every handler, though ours never return. */
const SA_RESTORER = 0x04000000n;

/** 24 bytes: `rt_sigaction(signal, action, NULL, 8)`. */
function setAction(signal: number, action: number): number[] {
  return [
    ...[0xb8, ...le32(13)], //        mov  eax, 13        ; SYS_rt_sigaction
    ...[0xbf, ...le32(signal)], //    mov  edi, signal
    ...[0xbe, ...le32(action)], //    mov  esi, action    ; address of a struct sigaction
    ...[0x31, 0xd2], //               xor  edx, edx       ; the old action does not matter
    ...[0x41, 0xba, ...le32(8)], //   mov  r10d, 8        ; bytes of a signal mask
    ...[0x0f, 0x05], //               syscall
  ];
}

const PAUSE = [
  ...[0xb8, ...le32(34)], //          again: mov eax, 34  ; SYS_pause
  ...[0x0f, 0x05], //                 syscall
  ...[0xeb, 0xf7], //                 jmp  again
];

const EXIT = [
  ...[0xb8, ...le32(231)], //         leave: mov eax, 231 ; SYS_exit_group
  ...[0x31, 0xff], //                 xor  edi, edi       ; status 0
  ...[0x0f, 0x05], //                 syscall
];

/** The whole ELF file. */
export function pauseProgram(): Uint8Array {
  const actionSize = setAction(0, 0).length;
  const exitAt = BASE + START + 3 * actionSize + PAUSE.length;
  const ignoreAt = exitAt + EXIT.length;
  const leaveAt = ignoreAt + sigaction(0n, 0n, 0n).length;
  const code = Buffer.concat([
    Buffer.from(setAction(SIGCHLD, ignoreAt)),
    Buffer.from(setAction(SIGTERM, leaveAt)),
    Buffer.from(setAction(SIGINT, leaveAt)),
    Buffer.from(PAUSE),
    Buffer.from(EXIT),
    sigaction(SIG_IGN, 0n, 0n),
    sigaction(BigInt(exitAt), SA_RESTORER, BigInt(exitAt)),
  ]);
  return Buffer.concat([elfHeader(), programHeader(START + code.length), code]);
}

/** The kernel's struct: handler, flags, restorer, mask. */
function sigaction(handler: bigint, flags: bigint, restorer: bigint): Buffer {
  const bytes = Buffer.alloc(32);
  bytes.writeBigUInt64LE(handler, 0);
  bytes.writeBigUInt64LE(flags, 8);
  bytes.writeBigUInt64LE(restorer, 16);
  return bytes;
}

function elfHeader(): Buffer {
  const bytes = Buffer.alloc(ELF_HEADER);
  bytes.write('\x7fELF', 'latin1');
  bytes.set([2, 1, 1], 4); // 64 bits, little endian, ELF version 1
  bytes.writeUInt16LE(2, 16); // an executable
  bytes.writeUInt16LE(62, 18); // for x86-64
  bytes.writeUInt32LE(1, 20);
  bytes.writeBigUInt64LE(BigInt(BASE + START), 24); // first instruction
  bytes.writeBigUInt64LE(BigInt(ELF_HEADER), 32); // where the program header is
  bytes.writeUInt16LE(ELF_HEADER, 52);
  bytes.writeUInt16LE(PROGRAM_HEADER, 54);
  bytes.writeUInt16LE(1, 56); // one program header
  return bytes;
}

/** Maps the whole file, headers and all, readable and executable. */
function programHeader(fileSize: number): Buffer {
  const bytes = Buffer.alloc(PROGRAM_HEADER);
  bytes.writeUInt32LE(1, 0); // PT_LOAD
  bytes.writeUInt32LE(5, 4); // read and execute
  bytes.writeBigUInt64LE(BigInt(BASE), 16);
  bytes.writeBigUInt64LE(BigInt(BASE), 24);
  bytes.writeBigUInt64LE(BigInt(fileSize), 32);
  bytes.writeBigUInt64LE(BigInt(fileSize), 40);
  bytes.writeBigUInt64LE(0x1000n, 48);
  return bytes;
}

function le32(value: number): number[] {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return [...bytes];
}
