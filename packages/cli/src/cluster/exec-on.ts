/** `kurator cluster exec-on`: enters a machine by way of a program that runs on it. */
import { type Action, CliError } from '@kurator/command';
import { inForeground } from './foreground.ts';
import { type NameOption, runningCluster } from './named-cluster.ts';

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
