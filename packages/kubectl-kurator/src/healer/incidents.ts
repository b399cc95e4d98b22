/** `kurator incidents` */
import type { Action, ActionContext } from '@kurator/command';
import {
  bare,
  type ClusterOptions,
  inCluster,
  isForPrograms,
  type OutputOptions,
  type Reached,
  resourceName,
  serialised,
} from '@kurator/command/kube';
import { UNHEALTHY } from './exit-codes.ts';
import { byBeginning, checkSelection, chosen, fullName, listed } from './find.ts';
import { type Incident, incidents, type Kurator, kurators } from './kinds.ts';
import type { Selection } from './placed.ts';
import { incidentView, type Quality, qualityOf, qualityView } from './tables.ts';
import { type Columns, viewText, watchView } from './view.ts';

/** Words for several stages. */
const states = {
  open: ({ status }: Incident) => !status?.closedAt,
  closed: ({ status }: Incident) => status?.closedAt !== undefined,
  /** A person is waited for. */
  waiting: ({ status }: Incident) =>
    !status?.closedAt && (status?.proposal !== undefined || /^(handedOver|quarantined)$/.test(status?.stage ?? '')),
} as const;

interface IncidentsOptions extends ClusterOptions, OutputOptions, Selection {
  readonly since?: number;
  readonly state?: string;
  readonly watch?: boolean;
  readonly exitCode?: boolean;
}

export const incidentsAction: Action<IncidentsOptions, [string[]]> = async (context, options, names) =>
  await inCluster(options, async (reached) => {
    const { signal } = context;
    checkSelection(names, options.selector);
    const isSelected = await ofSelected(reached, options, signal);
    const isFitting = filter(options, names);
    const isMeant = (incident: Incident) => isSelected(incident) && isFitting(incident);
    if (options.watch) {
      const view = incidentView(columnsOf(options));
      return await watchView(context, { ...reached, type: incidents, view, options, isMeant });
    }
    const [all, services] = await Promise.all([
      listed(reached, incidents, signal),
      listed(reached, kurators, signal, options.selector),
    ]);
    const found = all.filter(isMeant).toSorted(byBeginning);
    const quality = qualityOf(meantOf(all, services, names, reached), all, options.since, Date.now());
    await show(context, options, found, quality);
    return options.exitCode && found.some(states.open) ? UNHEALTHY : 0;
  });

/** Whether an incident is of a service with these labels: people label services, nobody labels incidents. */
export async function ofSelected(
  reached: Reached,
  { selector }: Selection,
  signal: AbortSignal,
): Promise<(incident: Incident) => boolean> {
  if (selector === undefined) return () => true;
  const services = new Set((await listed(reached, kurators, signal, selector)).map(fullName));
  return ({ metadata, spec }) => services.has(`${metadata.namespace}/${spec.service}`);
}

function columnsOf({ allNamespaces = false, output }: IncidentsOptions): Columns {
  return { namespace: allNamespaces, wide: output === 'wide' };
}

/** The services that are meant. One that is gone has left its incidents: naming it is no mistake. */
function meantOf(all: readonly Incident[], services: readonly Kurator[], names: readonly string[], where: Reached) {
  const recorded = new Set(all.map(({ spec }) => spec.service));
  chosen(
    services,
    names.filter((name) => !recorded.has(name)),
    where,
  );
  return services.filter(({ metadata }) => names.length === 0 || names.includes(metadata.name));
}

async function show(
  { print, say, screen }: ActionContext,
  options: IncidentsOptions,
  found: readonly Incident[],
  services: readonly Quality[],
): Promise<void> {
  if (isForPrograms(options)) {
    print(await serialised({ incidents: found.map(bare), services }, options, screen));
    return;
  }
  if (options.output === 'name' && found.length > 0) {
    print(found.map((one) => resourceName(incidents, one)).join('\n'));
    return;
  }
  const columns = columnsOf(options);
  if (found.length > 0) print(`${viewText(incidentView(columns), found, screen)}\n`);
  else say('There is no such incident on record.');
  if (services.length > 0 && options.output !== 'name') print(viewText(qualityView(columns), services, screen));
}

function filter({ since, state }: IncidentsOptions, names: readonly string[]): (incident: Incident) => boolean {
  const inState = stateFilter(state);
  const beganBefore = (at: string) => since !== undefined && Date.parse(at) < since;
  return (incident) => {
    const { service, startedAt } = incident.spec;
    if (names.length > 0 && !names.includes(service)) return false;
    // One that is still open is of today, whenever it began.
    if (beganBefore(startedAt) && !states.open(incident)) return false;
    return inState(incident);
  };
}

function stateFilter(state: string | undefined): (incident: Incident) => boolean {
  if (state === undefined) return () => true;
  if (state in states) return states[state as keyof typeof states];
  return ({ status }) => status?.stage === state;
}
