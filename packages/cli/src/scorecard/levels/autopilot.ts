/** Level 5, Auto Pilot: it heals, scales and tunes by itself, as far as that can be seen from outside. */
import { ConfigMap, Deployment, type KubernetesObject, StatefulSet, waitFor } from '@kurator/client';
import type { LevelChecks } from '../check.ts';
import type { Deed } from '../evidence.ts';
import type { Live } from '../live.ts';
import { met, type Outcome, unmet, untested } from '../outcome.ts';
import { type Child, childrenOfAll } from '../specimens.ts';

const FIELD_MANAGER = 'kurator-scorecard';

export const autopilot: LevelChecks = {
  level: 5,
  checks: [
    {
      id: 'autopilot-drift',
      title: 'what somebody changes in what it made is set right',
      disruptive: true,
      async run(live) {
        if (live.noSamples) return untested(live.noSamples);
        const children = (await childrenOfAll(live)).filter(({ type }) => type.kind in drifts);
        const [child] = children;
        if (!child) return untested('it makes nothing that could be changed without harm');
        return await setRight(live, child);
      },
    },
    { id: 'autopilot-heal', title: 'it heals what it looks after', run: async (live) => await done(live, 'heal') },
    {
      id: 'autopilot-scale',
      title: 'it scales with the load',
      run: async (live) => await madeOrDone(live, 'scale', 'HorizontalPodAutoscaler'),
    },
    {
      id: 'autopilot-tune',
      title: 'it tunes itself, or what it looks after',
      run: async (live) => await madeOrDone(live, 'tune', 'VerticalPodAutoscaler'),
    },
  ],
};

/** A change that nobody wants to stay, and whether it has gone. */
const drifts: Readonly<Record<string, (object: KubernetesObject) => object | undefined>> = {
  [Deployment.kind]: scaledToNone,
  [StatefulSet.kind]: scaledToNone,
  [ConfigMap.kind](object) {
    const [key] = Object.keys((object as ConfigMap).data ?? {});
    return key === undefined ? undefined : { data: { [key]: 'changed by kurator scorecard' } };
  },
};

function scaledToNone(object: KubernetesObject): object | undefined {
  const { spec } = object as Deployment;
  return spec?.replicas ? { spec: { replicas: 0 } } : undefined;
}

async function setRight({ client, timeoutMs, signal }: Live, { type, object }: Child): Promise<Outcome> {
  const { name, namespace } = object.metadata;
  const drift = drifts[type.kind]?.(object);
  if (!drift) return untested(`${type.kind} ${name} has nothing that could be changed without harm`);
  const changed = await client.patch(type, { name, namespace }, drift, { fieldManager: FIELD_MANAGER, signal });
  const began = Date.now();
  const isRight = (found: KubernetesObject) =>
    found.metadata.resourceVersion !== changed.metadata.resourceVersion && !has(found, drift);
  try {
    await waitFor(client, type, { name, namespace }, isRight, { timeout: timeoutMs, signal });
    return met(`${type.kind} ${name} was set right after ${((Date.now() - began) / 1000).toFixed(1)} s`);
  } catch (error) {
    if (signal.aborted) throw error;
    return unmet(`${type.kind} ${name} stayed as somebody had changed it for ${timeoutMs / 1000} s`);
  }
}

/** Whether an object has all that a patch has. Pure. */
export function has(object: unknown, patch: unknown): boolean {
  if (typeof patch !== 'object' || patch === null) return object === patch;
  const found = (object ?? {}) as Record<string, unknown>;
  return Object.entries(patch).every(([key, value]) => has(found[key], value));
}

async function madeOrDone(live: Live, deed: Deed, kind: string): Promise<Outcome> {
  const maker = (await childrenOfAll(live)).find(({ type }) => type.kind === kind);
  return maker ? met(`by the ${kind} ${maker.object.metadata.name}`) : await done(live, deed);
}

/** By the metric that its author has named for it. */
async function done({ subject, metrics }: Live, deed: Deed): Promise<Outcome> {
  const name = subject.evidence[deed];
  if (!name) {
    const remedy = `name the metric that counts it in package.json: "kurator": { "scorecard": { "${deed}": "…_total" } }`;
    return unmet('nothing that does it was seen, and it names no metric that would show it', remedy);
  }
  const value = (await metrics()).get(name);
  if (value === undefined) return unmet(`it names the metric ${name}, and does not serve it`);
  if (value > 0) return met(`${name} is ${value}`);
  return untested(`${name} is 0: it had no need to since it started`);
}
