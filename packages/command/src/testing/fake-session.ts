/** A run of the command without a process: what it printed, what it said, and its exit code. */
import type { Session } from '../action.ts';

export interface FakeSession extends Session {
  readonly said: { stdout: string; stderr: string; code: number | undefined };
}

export function fakeSession(): FakeSession {
  const said: FakeSession['said'] = { stdout: '', stderr: '', code: undefined };
  const into = (stream: 'stdout' | 'stderr') => ({
    write(text: string) {
      said[stream] += text;
    },
  });
  return {
    said,
    stdout: into('stdout'),
    stderr: into('stderr'),
    signal: new AbortController().signal,
    exit(code) {
      said.code = code;
    },
  };
}
