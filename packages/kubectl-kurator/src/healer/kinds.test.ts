import { Incident, Kurator, KuratorSwitch } from '@kurator/operator-kurator';
import { mayFollow } from '@kurator/operator-kurator/brain';
import { crdOf } from '@kurator/schema';
import { expect, it } from 'vitest';
import { incidents, kurators, switches } from './kinds.ts';
import { states } from './states.ts';
import { toneOf } from './tones.ts';

it.each([
  [kurators, Kurator],
  [incidents, Incident],
  [switches, KuratorSwitch],
])('asks for what is defined: %o', (asked, defined) => {
  const { apiVersion, kind, plural, namespaced } = defined;
  expect(asked).toEqual({ apiVersion, kind, plural, namespaced });
});

it('knows the stages of an incident', () => {
  expect(states).toEqual(['open', 'closed', 'waiting', ...Object.keys(mayFollow)]);
  expect(Object.keys(mayFollow).filter((stage) => !toneOf(stage))).toEqual([]);
});

it('has a colour for every word about health', () => {
  const crd = crdOf(Kurator) as { spec: { versions: { schema: { openAPIV3Schema: Schema } }[] } };
  const { health } = crd.spec.versions[0]?.schema.openAPIV3Schema.properties?.status?.properties ?? {};
  expect(health?.enum?.length).toBeGreaterThan(5);
  expect(health?.enum?.filter((word) => !toneOf(word))).toEqual([]);
});

interface Schema {
  enum?: string[];
  properties?: Record<string, Schema>;
}
