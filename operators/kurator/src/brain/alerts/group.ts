/** What several incidents may have in common, as a key and in words: people are told of it once. */
import type { Diagnosis } from '../diagnosis/cause.ts';
import type { HeldBy, Incident } from '../incident/incident.ts';

/** What holds up repairs in the whole cluster, in a person's words. */
const heldForAll: Partial<Readonly<Record<HeldBy, string>>> = {
  switch: "repairs wait for the cluster's switch",
  blindness: 'repairs wait for the control plane, of which nothing is heard',
  cluster: "repairs wait for the cluster's budget, or their namespace's share of it",
};

/** Everything that has one reason has one group: the incident of its root, a storm, what is broken, or itself alone. */
export function groupOf({ id, root, diagnosis }: Incident, isStorm: boolean, heldBy?: HeldBy): string {
  if (root !== undefined) return root;
  if (isStorm) return 'storm';
  return brokenIn(diagnosis) ?? (heldBy && heldForAll[heldBy] ? `held/${heldBy}` : id);
}

/** What is broken and others need as well; undefined where the fault is the service's own, as far as is known. */
function brokenIn(diagnosis: Diagnosis | undefined): string | undefined {
  if (diagnosis?.cause === 'network') return 'network';
  if (diagnosis?.where === undefined) return undefined;
  return diagnosis.cause === 'image' ? `registry/${diagnosis.where}` : `node/${diagnosis.where}`;
}

/** The reason of a group, in a person's words. */
export function groupInWords(group: string): string {
  if (group === 'storm') return 'there is a storm: much fails at once';
  if (group === 'network') return 'the network';
  const [kind = '', name = ''] = group.split('/');
  if (kind === 'held') return heldForAll[name as HeldBy] ?? 'repairs are held up';
  if (group.includes('#')) return `${group.slice(0, group.lastIndexOf('#'))}, which they depend on, is in trouble`;
  return kind === 'registry' ? `images of registry ${name} can not be had` : `node ${name} is in trouble`;
}
