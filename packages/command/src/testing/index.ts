/** A terminal and a session without a process. */
import { PassThrough } from 'node:stream';
import type { Session } from '../action.ts';

/** Keys that are typed. */
export const ENTER = '\r';
export const CTRL_C = '\x03';

/** A person at a terminal, who types when something is shown, and what was shown so far. */
export function terminal(...answers: [shown: string, typed: string][]) {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  const left = [...answers];
  let shown = '';
  let since = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    since += text;
    const [next] = left;
    if (!next || !since.includes(next[0])) return;
    left.shift();
    since = '';
    // After the prompt has begun to listen.
    setImmediate(() => input.write(next[1]));
  });
  return { input, output, shown: () => shown };
}

/** A run of the command without a process: what it printed, what it said, and its exit code. */
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
