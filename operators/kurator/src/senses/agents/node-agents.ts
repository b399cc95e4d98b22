/**
 * Other eyes: agents on the nodes, asked about a service for as long as there is a hint that packets are lost on the way
 * to it. What an agent doesn't say is not known, and changes nothing.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, Pod } from '@kurator/sdk';
import { isNotAllowed } from '../../access/optional-roles.ts';
import { type PathSample, theService } from '../../brain/observation.ts';
import { freshLossTrack, hasSeen, hintsAtLoss } from '../../brain/perception/packet-loss.ts';
import { type Perception, perceive, theOperator } from '../../brain/perception/perception.ts';
import { type Millis, minute } from '../../brain/time.ts';
import type { ServiceMemory } from '../../memory/service-memory.ts';
import { askAgent } from './ask-agent.ts';
import { type Address, mostAddresses, type Opening } from './message.ts';

/** What agents are labelled with. */
export const agentLabels = {
  // A name of their own: what selects the operator's pods (its Service, its disruption budget) must not select these.
  'app.kubernetes.io/name': 'kurator-node-agent',
  'app.kubernetes.io/component': 'node-agent',
} as const;

/** Where agents are, and what they know the operator by. */
export interface AgentsSettings {
  /** At least 32 characters, the same as the agents have. */
  readonly key: string;
  /** The namespace that they are in; the operator's own unless given. */
  readonly namespace?: string;
}

/** What other eyes need. */
export interface NodeAgentsOptions extends AgentsSettings {
  readonly client: Client;
  readonly now: () => Millis;
  /** The addresses of a service's instances, by uid. */
  addressesOf(memory: ServiceMemory): ReadonlyMap<string, Address>;
  /** Something was seen that deserves a thought. */
  wake(memory: ServiceMemory): void;
}

const mostAgents = 8;
/** Services that are asked about at once; the others have to wait for their next thought. */
const mostSessions = 8;
const knownFor = minute;
const pauseWithoutAgents = 30_000;
/** However quick agents are with their answers. */
const shortestRound = 3000;
/** A hint that is older says nothing about now. */
const hintCountsFor = 5 * minute;
const patience = 3000;

/** What was heard in one round. */
export interface Heard {
  /** The oldest first. */
  readonly samples: readonly PathSample[];
  /** The nodes whose agents have said nothing that could be believed. */
  readonly silent: readonly string[];
}

interface Known {
  readonly at: Millis;
  readonly agent: Address | undefined;
}

/** Asks the agents of a cluster. */
export class NodeAgents {
  readonly #options: NodeAgentsOptions;
  readonly #byNode = new Map<string, Known>();
  readonly #sessions = new Set<ServiceMemory>();
  readonly #closing = new AbortController();

  constructor(options: NodeAgentsOptions) {
    this.#options = options;
  }

  /** Has a service looked at from elsewhere, if there is reason to, until there is none. */
  attend(memory: ServiceMemory): void {
    const isFree = !this.#sessions.has(memory) && this.#sessions.size < mostSessions;
    if (!isFree || this.#closing.signal.aborted || !this.#hasReason(memory)) return;
    this.#sessions.add(memory);
    memory.perception = expecting(nodesOf(memory), memory.perception, this.#options.now());
    void this.#stay(memory).finally(() => this.#sessions.delete(memory));
  }

  close(): void {
    this.#closing.abort();
  }

  async #stay(memory: ServiceMemory): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted && this.#hasReason(memory)) {
      const begunAt = performance.now();
      const { samples, silent } = await this.ask(memory);
      if (signal.aborted || !memory.spec || !memory.seen) return;
      const news = { results: [], samples, instances: memory.seen.instances };
      memory.perception = withoutUnheard(silent, perceive(memory.spec, memory.perception, news));
      this.#options.wake(memory);
      const pause = samples.length > 0 ? shortestRound - (performance.now() - begunAt) : pauseWithoutAgents;
      await delay(Math.max(0, pause), undefined, { signal, ref: false }).catch(() => {});
    }
  }

  #hasReason({ perception, spec }: ServiceMemory): boolean {
    if (!spec || spec.ignoresLoss) return false;
    const now = this.#options.now();
    return Object.values(perception.targets).some(({ paths }) =>
      Object.values(paths).some(
        (track) => now - track.lastAt < hintCountsFor && (hintsAtLoss(track) || track.silent !== undefined),
      ),
    );
  }

  /** One round: how long connections to a service's instances take to open, from their nodes. */
  async ask(memory: ServiceMemory): Promise<Heard> {
    const targets = [...this.#options.addressesOf(memory)].slice(0, mostAddresses);
    if (targets.length === 0) return { samples: [], silent: [] };
    const agents = await this.#agentsFor(memory);
    const rounds = await Promise.all(agents.map(([node, agent]) => this.#askOne(node, agent, targets)));
    const silent = agents.flatMap(([node], index) => (rounds[index] ? [] : [node]));
    const samples = rounds.flatMap((round) => round ?? []).sort((a, b) => a.at - b.at);
    return { samples, silent };
  }

  async #askOne(
    from: string,
    agent: Address,
    targets: readonly (readonly [string, Address])[],
  ): Promise<PathSample[] | undefined> {
    const addresses = targets.map(([, address]) => address);
    const rows = await askAgent(agent, addresses, this.#options.key);
    if (!rows) {
      // Its pod may have been replaced.
      this.#byNode.delete(from);
      return undefined;
    }
    const now = this.#options.now();
    const sampleOf = (to: string, [ago, connectMs, opened]: Opening) => ({
      from,
      to,
      at: now - ago,
      connectMs,
      opened,
    });
    return targets.flatMap(([to], index) => rows[index]?.map((opening) => sampleOf(to, opening)) ?? []);
  }

  /** Those on the nodes of the instances; where that is one node, another one as a witness. */
  async #agentsFor(memory: ServiceMemory): Promise<[node: string, agent: Address][]> {
    const nodes = nodesOf(memory);
    try {
      const found = await Promise.all(nodes.map((node) => this.#agentOn(node)));
      const witness = nodes.length === 1 ? await this.#witness(nodes[0] ?? '') : [];
      memory.missingRoles.delete('agents');
      return [
        ...found.flatMap((agent, index) => (agent ? [[nodes[index] ?? '', agent] as [string, Address]] : [])),
        ...witness,
      ];
    } catch (error) {
      if (isNotAllowed(error)) memory.missingRoles.add('agents');
      return [];
    }
  }

  async #agentOn(node: string): Promise<Address | undefined> {
    const now = this.#options.now();
    const known = this.#byNode.get(node);
    if (known && now - known.at < knownFor) return known.agent;
    const [pod] = await this.#list({ fieldSelector: `spec.nodeName=${node}` });
    const agent = pod && addressOf(pod);
    this.#byNode.set(node, { at: now, agent });
    return agent;
  }

  async #witness(except: string): Promise<[node: string, agent: Address][]> {
    const pods = await this.#list({ fieldSelector: `spec.nodeName!=${except}`, limit: 10 });
    const found = pods.flatMap((pod): [string, Address][] => {
      const agent = addressOf(pod);
      return agent && pod.spec?.nodeName ? [[pod.spec.nodeName, agent]] : [];
    });
    return found.slice(0, 1);
  }

  async #list(selection: { fieldSelector: string; limit?: number }): Promise<Pod[]> {
    const { client, namespace = client.config.namespace ?? 'default' } = this.#options;
    const labelSelector = Object.entries(agentLabels)
      .map(([name, value]) => `${name}=${value}`)
      .join(',');
    const { items } = await client.list(Pod, { namespace, labelSelector, ...selection, timeout: patience, retries: 0 });
    return items.filter(({ metadata, status }) => !metadata.deletionTimestamp && status?.phase === 'Running');
  }
}

function addressOf({ spec, status }: Pod): Address | undefined {
  const port = spec?.containers[0]?.ports?.[0]?.containerPort;
  return status?.podIP && port ? { host: status.podIP, port } : undefined;
}

/** Those whose agents are asked. */
function nodesOf({ seen }: ServiceMemory): string[] {
  const live = seen?.instances.filter(({ terminating }) => !terminating) ?? [];
  const nodes = new Set(live.flatMap(({ node }) => node ?? []));
  return [...nodes]
    .filter((node) => node !== theOperator)
    .sort()
    .slice(0, mostAgents);
}

/** Until they have answered, or not, the ways from there are unclear: where packets are lost can't be said before. */
function expecting(nodes: readonly string[], perception: Perception, now: Millis): Perception {
  const asked = Object.fromEntries(nodes.map((node) => [node, { ...freshLossTrack, lastAt: now }]));
  return withPaths(perception, (paths) => ({ ...asked, ...paths }));
}

/** Half of what it has seen, from one who is silent now, would only keep others from being believed. */
function withoutUnheard(silent: readonly string[], perception: Perception): Perception {
  return withPaths(perception, (paths) => {
    const heard = Object.entries(paths).filter(([from, track]) => !silent.includes(from) && hasSeen(track));
    return Object.fromEntries(heard);
  });
}

type Paths = Perception['targets'][string]['paths'];

function withPaths({ targets }: Perception, change: (paths: Paths) => Paths): Perception {
  const changed = Object.entries(targets).map(([uid, target]) => {
    // Behind the Service's address each opening may end at another instance.
    return [uid, uid === theService ? target : { ...target, paths: change(target.paths) }] as const;
  });
  return { targets: Object.fromEntries(changed) };
}
