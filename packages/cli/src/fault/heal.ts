/** `kurator cluster fault list` and `kurator cluster fault heal` */
import type { FaultRecord } from '@kurator/testenv';
import type { Action } from '../action.ts';
import { type NameOption, runningCluster } from '../cluster/named-cluster.ts';
import { CliError } from '../error.ts';
import { age } from '../terminal/amounts.ts';
import { table } from '../terminal/table.ts';

export const list: Action<NameOption & { json?: boolean }, []> = async ({ print, say }, options) => {
  const faults = await (await runningCluster(options)).faults.list();
  if (options.json) print(JSON.stringify(faults, undefined, 2));
  else if (faults.length === 0) say('There is no fault.');
  else print(faultTable(faults));
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
