/** What the operator keeps in mind of each Kurator while it runs. Losing it costs time, and never a wrong repair. */
import { compareResourceVersions, type ObjectReference } from '@kurator/sdk';
import type { OptionalRole } from '../access/optional-roles.ts';
import type { Evidence } from '../brain/evidence/evidence.ts';
import type { ActionOutcome } from '../brain/incident/incident.ts';
import type { Answer, Observation, UsageObservation } from '../brain/observation.ts';
import { freshPerception, type Perception } from '../brain/perception/perception.ts';
import type { Moment } from '../brain/replay.ts';
import type { ScalingMemory } from '../brain/scaling/scale.ts';
import type { ServiceSpec } from '../brain/spec.ts';
import type { Millis } from '../brain/time.ts';
import type { Incident } from '../resources/incident.ts';
import type { Kurator } from '../resources/kurator.ts';
import { nameOf } from '../resources/lookup.ts';
import type { Told } from './incident-object.ts';
import type { ServiceRecord } from './service-record.ts';

/** What one pod uses: for scaling as shares of its requests, for the brain as shares of its limits. */
export interface PodUsage {
  readonly scaling: UsageObservation;
  readonly brain: UsageObservation;
}

/** What is in mind of one Kurator. */
export interface ServiceMemory {
  readonly uid: string;
  /** `namespace/name`. */
  readonly name: string;
  readonly reference: ObjectReference;
  perception: Perception;
  /** As of the last thought; missing before the first. */
  spec?: ServiceSpec;
  seen?: Observation;
  /** The name of the Service that checks go through, if any do. */
  service?: string | undefined;
  evidence?: Evidence;
  record?: ServiceRecord;
  /** The object as our last write has left it: the cache may not have heard of it yet. */
  written?: Kurator;
  /** The newest incident's object as our last write has left it. */
  incident?: Incident;
  /** How actions ended, by id, until the brain has taken note of it. */
  readonly outcomes: Map<string, ActionOutcome>;
  /** Who was told what, and is not on record yet. */
  readonly toldTo: Told[];
  /** What the last thought was made from, if it decided something: to be kept with the incident. */
  moment?: Moment | undefined;
  /** Of the spec, as it was when it was last looked after. */
  generation?: number | undefined;
  /** Since when every round has failed; undefined when the last one did not. */
  failingSince?: Millis | undefined;
  /** When it was last thought about because somebody waits to see it well. */
  askedAt?: Millis;
  /** The Kurator's generation for which replicas that it doesn't give were last known not to be ours. */
  replicasLeftAt?: number | undefined;
  /** When Incidents were last put in order. */
  keptAt?: Millis;
  /** What each instance uses, by uid, and when that was last asked for. */
  usage?: ReadonlyMap<string, PodUsage>;
  usageAt?: Millis;
  /** How long healthy answers take on average, in milliseconds, by uid. */
  readonly latencies: Map<string, number>;
  scaling?: ScalingMemory;
  /** Optional roles that were missed when they were last needed. */
  readonly missingRoles: Set<OptionalRole>;
  /** One that checks would have to be sent to, and that must not be talked to. */
  refusedAddress?: string | undefined;
  /** Answers of dependants that were not written yet. */
  readonly answers: Answer[];
  /** Notifications that were handed over to alerting, by id. */
  readonly told: Set<string>;
}

/** The memories of all Kurators. */
export class ServiceMemories {
  readonly #byName = new Map<string, ServiceMemory>();
  readonly #onGone: (memory: ServiceMemory) => void;

  /** @param onGone Told of each that is not kept in mind any more. */
  constructor(onGone: (memory: ServiceMemory) => void) {
    this.#onGone = onGone;
  }

  /** What is in mind of this one: one that was deleted and made again is another. */
  of(kurator: Kurator): ServiceMemory {
    const name = nameOf(kurator);
    const { uid = '', namespace } = kurator.metadata;
    const known = this.#byName.get(name);
    if (known?.uid === uid) return known;
    this.delete(name);
    const memory: ServiceMemory = {
      uid,
      name,
      reference: { name: kurator.metadata.name, namespace },
      perception: freshPerception,
      outcomes: new Map(),
      answers: [],
      told: new Set(),
      toldTo: [],
      latencies: new Map(),
      missingRoles: new Set(),
    };
    this.#byName.set(name, memory);
    return memory;
  }

  get(name: string): ServiceMemory | undefined {
    return this.#byName.get(name);
  }

  delete(name: string): void {
    const memory = this.#byName.get(name);
    if (!memory) return;
    this.#byName.delete(name);
    this.#onGone(memory);
  }

  all(): Iterable<ServiceMemory> {
    return this.#byName.values();
  }
}

/** The newer of what the cache has and what we have written ourselves. */
export function newest(cached: Kurator, { written }: ServiceMemory): Kurator {
  const [a, b] = [cached.metadata.resourceVersion, written?.metadata.resourceVersion];
  if (!written || !a || !b || written.metadata.uid !== cached.metadata.uid) return cached;
  return (compareResourceVersions(a, b) ?? 1) < 0 ? written : cached;
}
