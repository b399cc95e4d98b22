/**
 * The program that holds processes still, for Linux on amd64, as bytes: `hold OPTIONS SECONDS TID...`. It runs beside an
 * instance, in an image of the user's, which may have a shell and nothing else.
 *
 * A signal would not do. The first process of a container is deaf to SIGSTOP and SIGKILL from within its namespace; a tracer
 * (ptrace) can hold it nevertheless. And a tracer is a fault that can't be left behind: however it ends, the kernel lets go
 * of what it holds, or, if asked so, kills it.
 */

/** The only one that it is for: as Kubernetes calls it, and as the machine itself does. */
export const ARCHITECTURE = { name: 'amd64', machine: 'x86_64' } as const;

/** Whatever the held processes begin is held as well: PTRACE_O_TRACEFORK, TRACEVFORK and TRACECLONE. */
export const HOLD = 0x0e;
/** When the tracer ends they are killed: PTRACE_O_EXITKILL. */
export const KILL = 0x100000;

const HEADERS = 120;

/** Two headers: one part, which is the whole file, readable and executable, at 0x400000; the code is right after them. */
const headers = (size: string) =>
  [
    '7f454c46020101000000000000000000', // 64 bits, little endian
    '02003e0001000000', // an executable, for x86-64
    '7800400000000000', // where the code begins
    '4000000000000000', // where the second header begins
    '000000000000000000000000', // no sections, no flags
    '400038000100000000000000', // the sizes of the headers, one part
    '0100000005000000', // to be loaded, readable and executable
    '0000000000000000', // from the file's beginning
    '0000400000000000'.repeat(2), // to there
    size.repeat(2), // all of it
    '0010000000000000', // aligned to pages
  ].join('');

const code = [
  '4c8b2424', //           mov  r12, [rsp]     ; how many arguments
  '4c8d6c2410', //         lea  r13, [rsp+16]  ; the first of them
  '4983ec03', //           sub  r12, 3
  '7c6f', //               jl   bad
  'e881000000', //         call number
  '4989c6', //             mov  r14, rax       ; OPTIONS
  'e879000000', //         call number
  '4989c7', //             mov  r15, rax       ; SECONDS
  '31db', //               xor  ebx, ebx       ; how many are held
  '4d85e4', //       next: test r12, r12
  '742e', //               je   held
  '49ffcc', //             dec  r12
  'e867000000', //         call number
  '4889c5', //             mov  rbp, rax       ; TID
  'bf06420000', //         mov  edi, 0x4206    ; PTRACE_SEIZE
  '4d89f2', //             mov  r10, r14
  'e84a000000', //         call trace
  '4885c0', //             test rax, rax
  '75de', //               jne  next           ; it has ended meanwhile, or is not ours to hold
  'bf07420000', //         mov  edi, 0x4207    ; PTRACE_INTERRUPT
  '4531d2', //             xor  r10d, r10d
  'e838000000', //         call trace
  'ffc3', //               inc  ebx
  'ebcd', //               jmp  next
  '85db', //         held: test ebx, ebx
  '7426', //               je   bad
  '686f6b0a00', //         push "ok\n"
  '4889e6', //             mov  rsi, rsp
  '6a03', //               push 3
  '5a', //                 pop  rdx
  '6a01', //               push 1              ; SYS_write, to standard output
  '58', //                 pop  rax
  '89c7', //               mov  edi, eax
  '0f05', //               syscall
  '6a00', //               push 0
  '4157', //               push r15
  '4889e7', //             mov  rdi, rsp
  '31f6', //               xor  esi, esi
  'b823000000', //         mov  eax, 35        ; SYS_nanosleep
  '0f05', //               syscall
  '31ff', //               xor  edi, edi
  'eb03', //               jmp  leave
  '6a01', //          bad: push 1
  '5f', //                 pop  rdi
  'b8e7000000', //  leave: mov  eax, 231       ; SYS_exit_group
  '0f05', //               syscall
  '4889ee', //      trace: mov  rsi, rbp
  '31d2', //               xor  edx, edx
  'b865000000', //         mov  eax, 101       ; SYS_ptrace
  '0f05', //               syscall
  'c3', //                 ret
  '498b7500', //   number: mov  rsi, [r13]     ; the next argument
  '4983c508', //           add  r13, 8
  '31c0', //               xor  eax, eax
  '0fb60e', //      digit: movzx ecx, byte [rsi]
  '48ffc6', //             inc  rsi
  '83e930', //             sub  ecx, '0'
  '7c09', //               jl   done
  '486bc00a', //           imul rax, rax, 10
  '4801c8', //             add  rax, rcx
  'ebec', //               jmp  digit
  'c3', //           done: ret
].join('');

/** The whole ELF file. */
export function holdProgram(): Uint8Array {
  const size = Buffer.alloc(8);
  size.writeUInt32LE(HEADERS + code.length / 2);
  return Buffer.from(headers(size.toString('hex')) + code, 'hex');
}
