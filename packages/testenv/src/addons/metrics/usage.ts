/** From two readings to what was used between them. Pure. */
import type { KubeletSample, Reading } from './kubelet-sample.ts';

/** What was used over a while. */
export interface Usage {
  readonly nanoCores: bigint;
  readonly memoryBytes: bigint;
  /** The end of the while, in milliseconds since 1970. */
  readonly at: number;
  /** Its length, in milliseconds. */
  readonly window: number;
}

/** What a node and its pods used, as far as it is known. */
export interface NodeUsage {
  readonly node: Usage | undefined;
  /** By `NAMESPACE/POD`, then by container; only pods whose containers are all known. */
  readonly pods: ReadonlyMap<string, ReadonlyMap<string, Usage>>;
}

/** The newest reading of something, and the one before it. */
interface Track {
  readonly latest: Reading;
  readonly before: Reading | undefined;
}

/** All that must be remembered of a node from one scrape to the next. */
export interface NodeTracks {
  readonly node: Track | undefined;
  readonly pods: ReadonlyMap<string, ReadonlyMap<string, Track>>;
}

/** Nothing is known yet. */
export const noTracks: NodeTracks = { node: undefined, pods: new Map() };

// A container that is younger than this gets its first figure from its start: waiting for a second reading would
// leave it without one for longer than it may live. An older one would get its lifetime's average, which misleads.
const YOUNG = 60_000;
const SHORTEST_WINDOW = 1_000;

/** Adds a newer sample; what it doesn't mention is forgotten. */
export function track(tracks: NodeTracks, sample: KubeletSample): NodeTracks {
  const pods = [...sample.pods].map(([pod, containers]) => {
    const known = tracks.pods.get(pod);
    const tracked = [...containers].map(([name, reading]) => [name, advance(known?.get(name), reading)] as const);
    return [pod, new Map(tracked)] as const;
  });
  return { node: sample.node && advance(tracks.node, sample.node), pods: new Map(pods) };
}

function advance(known: Track | undefined, reading: Reading): Track {
  if (!known) return { latest: reading, before: undefined };
  // The kubelet measures more rarely than it is asked: the same reading again tells nothing new.
  if (reading.at <= known.latest.at) return known;
  const restarted = reading.cpuSeconds < known.latest.cpuSeconds || isLater(reading.startedAt, known.latest.startedAt);
  return { latest: reading, before: restarted ? undefined : known.latest };
}

function isLater(one: number | undefined, other: number | undefined): boolean {
  return one !== undefined && other !== undefined && one > other;
}

/** What is known of the usage on a node. */
export function usageOf(tracks: NodeTracks): NodeUsage {
  const pods = new Map<string, ReadonlyMap<string, Usage>>();
  for (const [pod, containers] of tracks.pods) {
    const usages = new Map<string, Usage>();
    for (const [name, one] of containers) {
      const usage = usageBetween(one);
      if (usage) usages.set(name, usage);
    }
    if (usages.size === containers.size) pods.set(pod, usages);
  }
  return { node: tracks.node && usageBetween(tracks.node), pods };
}

function usageBetween({ latest, before = birthOf(latest) }: Track): Usage | undefined {
  if (!before) return undefined;
  const window = latest.at - before.at;
  if (window < SHORTEST_WINDOW) return undefined;
  return {
    nanoCores: BigInt(Math.round(((latest.cpuSeconds - before.cpuSeconds) / window) * 1e12)),
    memoryBytes: BigInt(Math.round(latest.memoryBytes)),
    at: latest.at,
    window,
  };
}

function birthOf({ at, startedAt }: Reading): Reading | undefined {
  if (startedAt === undefined || at - startedAt > YOUNG) return undefined;
  return { cpuSeconds: 0, memoryBytes: 0, at: startedAt };
}
