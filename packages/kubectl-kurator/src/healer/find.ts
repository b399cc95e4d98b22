/** Finds what a name on the command line means, and says what it may have meant where there is no such thing. */
import type { KubernetesObject, ResourceType } from '@kurator/client';
import { CliError } from '@kurator/command';
import type { Reached } from '@kurator/command/kube';
import { type Incident, incidents, type Kurator, kurators } from './kinds.ts';
import { near } from './near.ts';
import type { Selection } from './placed.ts';

/** As a person writes it: with its namespace where that is not clear. */
export function fullName({ metadata }: KubernetesObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** All of a kind that are there, by name. */
export async function listed<T extends KubernetesObject>(
  { client, namespace }: Reached,
  type: ResourceType<T>,
  signal: AbortSignal,
  labelSelector?: string,
): Promise<T[]> {
  const { items } = await client.list(type, {
    ...(namespace && { namespace }),
    ...(labelSelector && { labelSelector }),
    signal,
  });
  return items.toSorted((a, b) => (fullName(a) < fullName(b) ? -1 : 1));
}

/** The services that are meant: those with these names, or with these labels; all if neither is said. */
export async function meantServices(
  where: Reached,
  names: readonly string[],
  { selector }: Selection,
  signal: AbortSignal,
): Promise<Kurator[]> {
  checkSelection(names, selector);
  return chosen(await listed(where, kurators, signal, selector), names, where);
}

/** As kubectl has it: a name says which one, a selector says which ones. */
export function checkSelection(names: readonly string[], selector: string | undefined): void {
  if (selector !== undefined && names.length > 0) throw new CliError('KUR_CLI_USAGE', 'give names or -l, not both');
}

/** Those with these names, in their order; all if none is named. */
export function chosen<T extends KubernetesObject>(all: readonly T[], names: readonly string[], where: Reached): T[] {
  if (names.length === 0) return [...all];
  return names.flatMap((name) => {
    const found = all.filter(({ metadata }) => metadata.name === name);
    if (found.length === 0) throw notFound('Kurator', name, all, where);
    return found;
  });
}

/** An incident by its name; or the one of a service that is open, else its newest. */
export async function findIncident(where: Reached, name: string, signal: AbortSignal): Promise<Incident> {
  const all = await listed(where, incidents, signal);
  const named = all.filter(({ metadata }) => metadata.name === name);
  if (named.length > 0) return one(named, name);
  const ofService = all.filter(({ spec }) => spec.service === name).toSorted(byBeginning);
  const newest = ofService.find(({ status }) => !status?.closedAt) ?? ofService[0];
  if (newest) return newest;
  const services = await listed(where, kurators, signal);
  if (services.some(({ metadata }) => metadata.name === name)) {
    throw new CliError('KUR_CLI_NO_INCIDENT', `${name} has had no incident that is still on record`);
  }
  throw notFound('Incident', name, [...all, ...services], where);
}

/** The newest first. */
export function byBeginning(a: Incident, b: Incident): number {
  return Date.parse(b.spec.startedAt) - Date.parse(a.spec.startedAt);
}

function one<T extends KubernetesObject>(found: readonly T[], name: string): T {
  const [first, second] = found;
  if (first && !second) return first;
  const where = found.map(({ metadata }) => metadata.namespace).join(', ');
  throw new CliError('KUR_CLI_USAGE', `there is more than one ${name}`, {
    remedy: `choose a namespace with -n: ${where}`,
  });
}

function notFound(
  kind: string,
  name: string,
  all: readonly KubernetesObject[],
  { namespace, client }: Reached,
): CliError {
  const names = [...new Set(all.map(({ metadata }) => metadata.name))];
  const alike = near(name, names);
  const place = namespace ? `in namespace ${namespace}` : `in the cluster at ${client.config.server}`;
  const some = names.slice(0, 5).join(', ');
  const there = names.length > 0 ? `there ${names.length > 5 ? 'are, among others,' : 'is'} ${some}` : 'there is none';
  const remedy = alike.length > 0 ? `did you mean ${alike.join(', or ')}?` : `${there}; -A looks in all namespaces`;
  return new CliError('KUR_CLI_NOT_FOUND', `there is no ${kind} "${name}" ${place}`, { remedy });
}
