import { text } from 'node:stream/consumers';
import type { Client } from './client.ts';
import type { AttachOptions } from './options.ts';
import type { ObjectReference } from './resource-type.ts';

/** Options of {@link runInPod}. */
export interface RunInPodOptions extends Pick<AttachOptions, 'container' | 'signal' | 'timeout' | 'pingInterval'> {
  /** What the program reads from its standard input. */
  stdin?: string | Uint8Array;
}

/** What a program did. */
export interface RunResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program in a container to its end. An exit code other than 0 is a result, not an error. */
export async function runInPod(
  client: Client,
  pod: ObjectReference,
  command: readonly string[],
  options: RunInPodOptions = {},
): Promise<RunResult> {
  const { stdin, ...rest } = options;
  const execution = await client.exec(pod, command, { ...rest, stdin: stdin !== undefined });
  try {
    if (stdin !== undefined) execution.stdin.end(stdin);
    const { exitCode } = execution;
    const [stdout, stderr] = await Promise.all([text(execution.stdout), text(execution.stderr)]);
    return { exitCode: await exitCode, stdout, stderr };
  } finally {
    execution.close();
  }
}
