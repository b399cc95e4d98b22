/** `kurator get` */
import type { Action, Screen } from '@kurator/command';
import {
  bare,
  type ClusterOptions,
  inCluster,
  isForPrograms,
  listOf,
  type OutputOptions,
  type Reached,
  resourceName,
  serialised,
} from '@kurator/command/kube';
import { UNHEALTHY } from './exit-codes.ts';
import { meantServices } from './find.ts';
import { type Kurator, kurators } from './kinds.ts';
import type { Selection } from './placed.ts';
import { saySwitch } from './switch.ts';
import { kuratorView } from './tables.ts';
import { viewText, watchView } from './view.ts';

interface GetOptions extends ClusterOptions, OutputOptions, Selection {
  readonly watch?: boolean;
  readonly exitCode?: boolean;
}

export const get: Action<GetOptions, [string[]]> = async (context, options, names) =>
  await inCluster(options, async (reached) => {
    const { print, say, screen, signal } = context;
    await saySwitch(reached.client, context);
    const found = await meantServices(reached, names, options, signal);
    if (options.watch) {
      const meant = new Set(names);
      const isMeant = ({ metadata }: (typeof found)[number]) => meant.size === 0 || meant.has(metadata.name);
      const labelSelector = options.selector;
      return await watchView(context, {
        ...reached,
        type: kurators,
        view: viewOf(options),
        options,
        isMeant,
        labelSelector,
      });
    }
    if (found.length > 0 || isForPrograms(options)) print(await printed(found, names, options, screen));
    else say(nothing(reached, options));
    const isWell = found.every(({ status }) => status?.health === 'Healthy');
    return options.exitCode && !isWell ? UNHEALTHY : 0;
  });

async function printed(
  found: readonly Kurator[],
  names: readonly string[],
  options: GetOptions,
  screen: Screen,
): Promise<string> {
  const [first] = found;
  if (isForPrograms(options)) {
    const isOne = first !== undefined && names.length === 1 && found.length === 1;
    return await serialised(isOne ? bare(first) : listOf(found), options, screen);
  }
  if (options.output === 'name') return found.map((one) => resourceName(kurators, one)).join('\n');
  return viewText(viewOf(options), found, screen);
}

function viewOf({ allNamespaces = false, output }: GetOptions) {
  return kuratorView({ namespace: allNamespaces, wide: output === 'wide' });
}

function nothing({ namespace }: Reached, { selector }: Selection): string {
  return `There is no Kurator ${selector ? `with ${selector} ` : ''}${namespace ? `in namespace ${namespace} (-A looks in all)` : 'in this cluster'}.`;
}
