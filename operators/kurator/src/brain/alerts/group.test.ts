import { expect, it } from 'vitest';
import { anIncident } from '../../../test/support/alerting/an-alert.ts';
import type { Cause, Diagnosis } from '../diagnosis/cause.ts';
import type { HeldBy, Incident } from '../incident/incident.ts';
import { groupInWords, groupOf } from './group.ts';

const of = (cause: Cause, where?: string): Partial<Incident> => ({
  diagnosis: {
    cause,
    confidence: 'certain',
    affected: [],
    reasons: [],
    extent: 'all',
    ...(where && { where }),
  } as Diagnosis,
});

const cases: [string, Partial<Incident>, { isStorm?: boolean; heldBy?: HeldBy }, string, string][] = [
  ['a node', of('node-lost', 'n1'), {}, 'node/n1', 'node n1 is in trouble'],
  ['a registry', of('image', 'registry.example:5000'), {}, 'registry/registry.example:5000', 'images of registry'],
  ['the network', of('network'), {}, 'network', 'the network'],
  ['what it depends on', { ...of('dependency'), root: 'shop/db#3' }, { isStorm: true }, 'shop/db#3', 'shop/db, which'],
  ['a storm', of('hang'), { isStorm: true }, 'storm', 'there is a storm'],
  ["the cluster's budget", of('hang'), { heldBy: 'cluster' }, 'held/cluster', "the cluster's budget"],
  ['the switch', of('hang'), { heldBy: 'switch' }, 'held/switch', 'switch'],
  ['the control plane', {}, { heldBy: 'blindness' }, 'held/blindness', 'control plane'],
];

it.each(cases)('the reason of many may be %s', (_, differences, { isStorm = false, heldBy }, group, words) => {
  expect(groupOf(anIncident(differences), isStorm, heldBy)).toBe(group);
  expect(groupInWords(group)).toContain(words);
});

it.each<[string, Partial<Incident>, HeldBy | undefined]>([
  ['a fault of its own', of('hang'), undefined],
  ['a node that nobody can name', of('node-lost'), undefined],
  ['a hold of its own', of('hang'), 'minimum'],
])('an incident is its own reason with %s', (_, differences, heldBy) => {
  expect(groupOf(anIncident(differences), false, heldBy)).toBe('shop/web#1');
});
