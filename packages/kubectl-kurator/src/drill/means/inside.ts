/** What is done in a pod itself, by its own shell. */
import { type Pod, type RunResult, runInPod } from '@kurator/client';
import { containerOf, type Stage } from './means.ts';

/** As container runtimes say it. */
const noShell = /executable file not found|no such file or directory/;

/** Whose pods, and in which container of them. */
export type Inside = Pick<Stage, 'client' | 'container' | 'signal'>;

/** Runs a script to its end; undefined where there is no shell to run it. */
export async function runInside(
  { client, container, signal }: Inside,
  pod: Pod,
  script: string,
  args: readonly (string | number)[] = [],
): Promise<RunResult | undefined> {
  const command = ['sh', '-c', script, 'drill', ...args.map(String)];
  const { name } = containerOf(pod, container);
  try {
    return await runInPod(client, { ...pod.metadata }, command, { container: name, signal });
  } catch (error) {
    if (noShell.test((error as Error).message)) return undefined;
    throw error;
  }
}

/** Whether it runs there, to a good end. */
export async function worksInside(inside: Inside, pod: Pod, script: string): Promise<boolean> {
  return (await runInside(inside, pod, script))?.exitCode === 0;
}
