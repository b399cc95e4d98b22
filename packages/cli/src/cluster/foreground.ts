/** Programs of a test cluster in the foreground: kubectl, and what is to run on one of its machines. */
import { spawn } from 'node:child_process';
import { type Action, CliError, exitCodeOfSignal } from '@kurator/command';
import { withoutProxyForClusters } from '@kurator/testenv';
import { type NameOption, runningCluster } from './named-cluster.ts';

/** `kurator cluster exec-on`: enters a machine by way of a program that runs on it. */
export const execOn: Action<NameOption, [machine: string, command: string[]]> = async (
  _,
  options,
  machine,
  command,
) => {
  const cluster = await runningCluster(options);
  const { components } = await cluster.status();
  const pid = components.find((part) => part.machine === machine && part.pid !== undefined)?.pid;
  if (pid !== undefined)
    return await inForeground('nsenter', ['-t', String(pid), '-m', '-p', '-n', '-u', '-i', '--', ...command]);
  const machines = [...new Set(components.flatMap((part) => part.machine ?? []))];
  throw new CliError('KUR_CLI_NO_MACHINE', `nothing runs on a machine called "${machine}"`, {
    remedy:
      machines.length > 0
        ? `choose one of ${machines.join(', ')}`
        : 'a control plane alone has no machines: make a cluster with nodes',
  });
};

/** `kurator cluster kubectl` */
export const kubectl: Action<NameOption, [args: string[]]> = async (_, options, args) => {
  const cluster = await runningCluster(options);
  const env = { ...withoutProxyForClusters(process.env), KUBECONFIG: cluster.kubeconfig };
  return await inForeground(cluster.config.programs.kubectl ?? 'kubectl', args, env);
};

/** As a shell would run it: it has the terminal, and its exit code is ours. */
async function inForeground(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  const child = spawn(command, args, { stdio: 'inherit', env });
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    // Ctrl-C reaches the program by itself; a request to end this command is passed on.
    const pass = () => child.kill('SIGTERM');
    process.once('SIGTERM', pass);
    child.once('exit', (code, signal) => {
      process.off('SIGTERM', pass);
      resolve(signal ? exitCodeOfSignal(signal) : (code ?? 0));
    });
  });
}
