/** `kurator cluster fault KIND` */
import type { Action } from '@kurator/command';
import { isForPrograms, type OutputOptions, serialised } from '@kurator/command/kube';
import { type NameOption, runningCluster } from '../cluster/named-cluster.ts';
import { type FaultCommandOptions, faultRequest, type RequestName } from './requests.ts';

/** The action that makes a fault of one kind, and prints its id. */
export function inject(kind: RequestName): Action<FaultCommandOptions, unknown[]> {
  return async ({ print, say, screen }, options, ...args) => {
    const { name, output } = options as NameOption & OutputOptions;
    const request = faultRequest(kind, args, options);
    const cluster = await runningCluster(name === undefined ? {} : { name });
    const { heal: _heal, ...record } = await cluster.faults.inject(request);
    if (isForPrograms({ output })) print(await serialised(record, { output }, screen));
    else {
      // A process that was killed stays so.
      const heals = (await cluster.faults.list()).some(({ id }) => id === record.id);
      const hint = heals ? ` To heal it: kurator cluster fault heal ${record.id} --name ${cluster.name}` : '';
      say(`Now it ${record.description}.${hint}`);
      print(record.id);
    }
    return 0;
  };
}
