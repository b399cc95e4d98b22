/** `kurator cluster fault list` and `kurator cluster fault heal` */

import { type Action, age, CliError, table } from '@kurator/command';
import { isForPrograms, type OutputOptions, serialised } from '@kurator/command/kube';
import type { FaultRecord } from '@kurator/testenv';
import { type NameOption, runningCluster } from '../cluster/named-cluster.ts';

export const list: Action<NameOption & OutputOptions, []> = async ({ print, say, screen }, options) => {
  const faults = await (await runningCluster(options)).faults.list();
  if (isForPrograms(options)) print(await serialised(faults, options, screen));
  else if (faults.length === 0) say('There is no fault.');
  else print(options.output === 'name' ? faults.map(({ id }) => id).join('\n') : faultTable(faults));
  return 0;
};

/** Pure. */
export function faultTable(faults: readonly FaultRecord[], now: number = Date.now()): string {
  const rows = faults.map(({ id, since, until, description }) => [id, age(since, now), until ?? '', description]);
  return table(['ID', 'AGE', 'UNTIL', 'WHAT IT DOES'], rows);
}

export const heal: Action<NameOption & { all?: boolean }, [ids: string[]]> = async ({ say }, options, ids) => {
  if (ids.length > 0 === Boolean(options.all)) {
    throw new CliError('KUR_CLI_USAGE', 'it is not clear which faults are meant', { remedy: 'give ids, or --all' });
  }
  const { faults } = await runningCluster(options);
  if (options.all) await faults.healAll();
  for (const id of ids) await faults.heal(id);
  say('Healed.');
  return 0;
};
