import { type ChildProcess, execFile, spawn } from 'node:child_process';
import type { Cluster } from '@kurator/testenv';

/** The machine's own kubectl may be of any age: these tests use the one that belongs to the cluster. */
function commandLine(cluster: Cluster, args: readonly string[]): [string, string[]] {
  return [cluster.config.programs.kubectl ?? 'kubectl', ['--kubeconfig', cluster.kubeconfig, ...args]];
}

/** Runs kubectl to its end and gives what it printed; `input` is its standard input, for `apply -f -`. */
export async function kubectl(cluster: Cluster, args: readonly string[], input?: string): Promise<string> {
  const [command, line] = commandLine(cluster, args);
  return await new Promise((resolve, reject) => {
    const child = execFile(
      command,
      line,
      { timeout: 200_000, maxBuffer: 16 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (error) reject(new Error(`kubectl ${args.join(' ')}: ${stderr || error.message}`));
        else resolve(stdout);
      },
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

/** Runs kubectl for as long as it is wanted; the caller ends it. */
export function startKubectl(cluster: Cluster, args: readonly string[]): ChildProcess {
  const [command, line] = commandLine(cluster, args);
  return spawn(command, line, { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Runs a command in a pod. */
export async function inPod(cluster: Cluster, pod: string, ...command: string[]): Promise<string> {
  return await kubectl(cluster, ['exec', pod, '--', ...command]);
}

/** For the kit's `eventually`: what these tests wait for takes a real cluster seconds, or minutes. */
export const patiently = { timeout: 120_000, interval: 250 };
