/** Runs a check's command in a container, through the API server. */
import type { Client, Execution } from '@kurator/sdk';
import { isNotAllowed, roleInWords } from '../access/optional-roles.ts';
import { type Exec, ExecDenied } from './checks/probes/exec-probe.ts';

/** @param client One that refuses to run anything once this process can't be sure to lead. */
export function execIn(client: Client): Exec {
  return async ({ namespace, pod, container, command, signal, outputBytes, started }) => {
    const execution = await client.exec({ name: pod, namespace }, command, { container, signal }).catch((error) => {
      throw isNotAllowed(error) ? new ExecDenied(roleInWords('exec')) : error;
    });
    started();
    try {
      const [exitCode, output] = await Promise.all([execution.exitCode, outputOf(execution, outputBytes)]);
      return { exitCode, output };
    } finally {
      execution.close();
    }
  };
}

/** What is over is read and dropped: a program that can't write on would hang. */
async function outputOf({ stdout, stderr }: Execution, most: number): Promise<string> {
  const kept: Buffer[] = [];
  let size = 0;
  const read = async (stream: AsyncIterable<Buffer>) => {
    for await (const chunk of stream) {
      if (size < most) kept.push(chunk.subarray(0, most - size));
      size += chunk.length;
    }
  };
  await Promise.all([read(stdout), read(stderr)]);
  return Buffer.concat(kept).toString('utf8');
}
