/** `kurator get` */
import type { Action } from '../action.ts';
import { type ClusterOptions, inCluster, type Reached } from './cluster.ts';
import { UNHEALTHY } from './exit-codes.ts';
import { chosen, listed } from './find.ts';
import { kurators } from './kinds.ts';
import { kuratorView } from './kurator-table.ts';
import { bare, isForPrograms, listOf, type OutputOptions, serialised } from './output.ts';
import { saySwitch } from './switch.ts';
import { viewText, watchView } from './view.ts';

interface GetOptions extends ClusterOptions, OutputOptions {
  readonly watch?: boolean;
  readonly exitCode?: boolean;
}

export const get: Action<GetOptions, [string[]]> = async (context, options, names) =>
  await inCluster(options, async (reached) => {
    const { print, say, screen, signal } = context;
    const view = kuratorView({ namespace: options.allNamespaces ?? false, wide: options.output === 'wide' });
    await saySwitch(reached.client, context);
    const all = await listed(reached, kurators, signal);
    const found = chosen(all, names, reached);
    if (options.watch) {
      const meant = new Set(names);
      const isMeant = ({ metadata }: (typeof found)[number]) => meant.size === 0 || meant.has(metadata.name);
      return await watchView(context, { ...reached, type: kurators, view, options, isMeant });
    }
    const [first] = found;
    if (isForPrograms(options)) {
      const isOne = first !== undefined && names.length === 1 && found.length === 1;
      print(await serialised(isOne ? bare(first) : listOf(found), options, screen));
    } else if (first) print(viewText(view, found, screen));
    else say(nothing(reached));
    const isWell = found.every(({ status }) => status?.health === 'Healthy');
    return options.exitCode && !isWell ? UNHEALTHY : 0;
  });

function nothing({ namespace }: Reached): string {
  return `There is no Kurator ${namespace ? `in namespace ${namespace} (-A looks in all)` : 'in this cluster'}.`;
}
