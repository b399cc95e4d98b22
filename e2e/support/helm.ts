/** A real Helm. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Cluster } from '@kurator/testenv';

/** The chart of this repository. */
export const chart = join(import.meta.dirname, '..', '..', 'deploy', 'chart');

const run = promisify(execFile);

/** The program: `npm test` brings it, and so does the stage by itself. */
export function obtainHelm(): string {
  const program = process.env.KURATOR_TEST_HELM;
  if (!program) throw new Error('There is no Helm: `npm run test:e2e` builds it with Go.');
  return program;
}

/** Runs it against a cluster, and gives what it printed. */
export async function helm(program: string, { kubeconfig }: Cluster, ...args: string[]): Promise<string> {
  try {
    const { stdout } = await run(program, ['--kubeconfig', kubeconfig, ...args], {
      maxBuffer: 2 ** 26,
      timeout: 300_000,
    });
    return stdout;
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new Error(`helm ${args.join(' ')}: ${stderr || message}`, { cause: error });
  }
}
