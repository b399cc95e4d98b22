/** How all components do, in a word each and the worst first: what everybody who is alerted should know. Bounded. */

import { Node } from '@kurator/sdk';
import type { ServiceSummary } from '../brain/cluster/summary.ts';
import { blindAfter } from '../brain/evidence/detect.ts';
import type { Condition } from '../brain/evidence/evidence.ts';
import type { NodeObservation } from '../brain/observation.ts';
import { inWords, type Millis } from '../brain/time.ts';
import type { Look } from '../resources/lookup.ts';
import { observeNode } from '../senses/observe-node.ts';
import type { OtherState, Others } from './alerts/alerting.ts';

/** What it is made from. */
export interface Sources {
  readonly services: Iterable<ServiceSummary>;
  /** As last seen; undefined where it was not looked at yet. */
  readonly conditionOf: (name: string) => Condition | undefined;
  readonly look: Pick<Look, 'list'>;
  /** When the API server was last heard. */
  readonly heardAt: Millis;
}

const worstFirst = ['down', 'impaired', 'unknown', 'healthy'] as const;
type State = (typeof worstFirst)[number];

/** So many are named; of the others it is said how many there are. */
const mostNodes = 8;
const mostServices = 16;
/** To look at thousands is some work, and a storm of alerts wants it again and again. */
const freshFor = 2000;

/** Looks at everything, no more often than is useful. */
export class Overview {
  #at = Number.NEGATIVE_INFINITY;
  #services = new Map<State, string[]>();
  #nodes: Others = [];

  /** How all but one do. */
  others(name: string, sources: Sources, now: Millis): Others {
    if (now - this.#at >= freshFor || now < this.#at) this.#renew(sources, now);
    const silence = now - sources.heardAt;
    const controlPlane = silence > blindAfter ? `not heard for ${inWords(silence)}` : 'answers';
    return [{ name: 'control plane', state: controlPlane }, ...this.#nodes, ...this.#servicesBut(name)];
  }

  #renew({ services, conditionOf, look }: Sources, now: Millis): void {
    this.#at = now;
    this.#services = new Map(worstFirst.map((state) => [state, []]));
    for (const summary of services) this.#services.get(stateOf(summary, conditionOf))?.push(summary.name);
    for (const names of this.#services.values()) names.sort();
    this.#nodes = nodesOf(look, now);
  }

  #servicesBut(name: string): Others {
    const named: OtherState[] = [];
    const more: OtherState[] = [];
    for (const [state, all] of this.#services) {
      const room = mostServices - named.length;
      const names = all.slice(0, room + 1).filter((one) => one !== name);
      named.push(...names.slice(0, room).map((one) => ({ name: one, state })));
      const rest = all.length - Number(all.includes(name)) - Math.min(room, names.length);
      if (rest > 0) more.push({ name: `${rest} more ${state}`, state });
    }
    return [...named, ...more];
  }
}

function stateOf({ name, asDependency }: ServiceSummary, conditionOf: Sources['conditionOf']): State {
  const isDown = asDependency.state === 'impaired' && conditionOf(name) === 'down';
  return isDown ? 'down' : asDependency.state;
}

function nodesOf(look: Pick<Look, 'list'>, now: Millis): Others {
  const all = look.list(Node).map((node) => observeNode(node.metadata.name, node, now));
  const bad = all.filter(({ gone, ready }) => gone || ready !== 'true').sort(silentFirst);
  const named = bad.slice(0, mostNodes).map(({ name, ready }) => {
    return { name: `node ${name}`, state: ready === 'unknown' ? 'silent' : 'not ready' };
  });
  const ready = all.length > 0 ? `${all.length - bad.length} of ${all.length} ready` : 'none known';
  return [{ name: 'nodes', state: ready }, ...named];
}

function silentFirst(a: NodeObservation, b: NodeObservation): number {
  return Number(b.ready === 'unknown') - Number(a.ready === 'unknown') || a.name.localeCompare(b.name);
}
