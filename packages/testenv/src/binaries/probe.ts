/** Runs a program just far enough to say its version: the proof that a file is a program that this machine can run. */
import { type ExecFileException, execFile } from 'node:child_process';
import { TestenvError } from '../error.ts';
import { patient } from '../internal/patience.ts';
import { describeMisfit } from './executable-kind.ts';
import type { Program } from './program.ts';

const versionArguments: Readonly<Record<Program, readonly string[]>> = {
  etcd: ['--version'],
  etcdctl: ['version'],
  etcdutl: ['version'],
  'kube-apiserver': ['--version'],
  'kube-controller-manager': ['--version'],
  'kube-scheduler': ['--version'],
  kubelet: ['--version'],
  'kube-proxy': ['--version'],
  kubectl: ['version', '--client'],
  coredns: ['-version'],
  containerd: ['--version'],
  'containerd-shim-runc-v2': ['-v'],
  ctr: ['--version'],
  runc: ['--version'],
  // A plugin without orders says what it is, to standard error.
  ptp: [],
  'host-local': [],
  portmap: [],
  loopback: [],
};

/** Generous, because the first start of a large program on a busy machine reads it from a slow disk. */
const PATIENCE = 60_000;

/** How a file fails that is no program for this machine, as against a machine that is out of something. */
const brokenFile = new Set<unknown>(['ENOEXEC', 'EACCES', 'ENOENT', 'EISDIR', 'ELIBBAD', 'UNKNOWN']);
const crash = new Set<unknown>(['SIGSEGV', 'SIGILL', 'SIGBUS', 'SIGABRT', 'SIGTRAP', 'SIGSYS', 'SIGFPE']);
const shortage = /cannot allocate memory|out of memory|failed to create new OS thread|temporarily unavailable/i;

/**
 * The version that a program reports, without a `v`. A program that can't run gives `KUR_TESTENV_BINARY_BROKEN`;
 * a machine that can't start any program just now (no memory, no processes) gives that error instead, so that
 * nobody throws a good binary away for it.
 */
export async function probeVersion(program: Program, path: string, signal?: AbortSignal): Promise<string> {
  // Asked beforehand, because the system hands what is no program to a shell, whose complaint explains nothing.
  const misfit = await describeMisfit(path);
  if (misfit) throw doesNotRun(program, path, misfit);
  const output = await new Promise<string>((resolve, reject) => {
    const options = { timeout: patient(PATIENCE), killSignal: 'SIGKILL' as const, ...(signal && { signal }) };
    const child = execFile(path, versionArguments[program], options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout || stderr);
      if (signal?.aborted) return reject(signal.reason);
      const why = stderr.trim().split('\n').at(-1) || error.message;
      reject(isBroken(error, stderr) ? doesNotRun(program, path, why, error) : error);
    });
    child.stdin?.end();
  });
  const version = /\d+\.\d+\.\d+(-[0-9a-z.]+)?/.exec(output)?.[0];
  if (version) return version;
  throw doesNotRun(program, path, `it does not say its version, but "${output.slice(0, 80).trim()}"`);
}

/** Fails unless the program runs and is of the version that is expected. */
export async function expectVersion(
  program: Program,
  path: string,
  version: string,
  signal?: AbortSignal,
): Promise<void> {
  const found = await probeVersion(program, path, signal);
  if (found !== version) throw doesNotRun(program, path, `it reports version ${found}, where ${version} is expected`);
}

function isBroken({ code, signal }: ExecFileException, stderr: string): boolean {
  if (shortage.test(stderr)) return false;
  return typeof code === 'number' || brokenFile.has(code) || crash.has(signal);
}

function doesNotRun(program: Program, path: string, why: string, cause?: unknown): TestenvError {
  return new TestenvError('KUR_TESTENV_BINARY_BROKEN', `${program} at ${path} does not run here: ${why}`, {
    remedy: `Put a ${program} for ${process.platform}/${process.arch} there, or let another source provide it.`,
    cause,
  });
}
