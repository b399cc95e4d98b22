/** What one running operator has for all Kurators together: their memories and checks, the state of the cluster, and the way to people. */

import type { CompanionContext, Runnable } from '@kurator/sdk';
import type { Reach } from '../access/reach.ts';
import type { History } from '../brain/incident/history.ts';
import type { Mode } from '../brain/spec.ts';
import { clusterDefaults } from '../brain/spec-defaults.ts';
import type { Millis } from '../brain/time.ts';
import { ClusterState } from '../memory/cluster-state.ts';
import type { Pass } from '../memory/pass.ts';
import { ServiceMemories, type ServiceMemory } from '../memory/service-memory.ts';
import { recordOf } from '../memory/service-record.ts';
import { Kurator } from '../resources/kurator.ts';
import { type Look, nameOf, referenceTo } from '../resources/lookup.ts';
import { NodeAgents } from '../senses/agents/node-agents.ts';
import { Secrets } from '../senses/check-plan.ts';
import type { Exec } from '../senses/checks/probes/exec-probe.ts';
import { ClusterEvents } from '../senses/cluster-events.ts';
import { UsageReader } from '../senses/pod-usage.ts';
import { ServiceChecks } from '../senses/service-checks.ts';
import { WatchFreshness } from '../senses/watch-freshness.ts';
import { type Alerting, eventsOnly, type Others } from '../voice/alerts/alerting.ts';
import { Tally } from '../voice/metrics/tally.ts';
import { Overview } from '../voice/overview.ts';
import { DependantHooks } from '../voice/tell-dependants.ts';
import type { HealerOptions } from './options.ts';
import { modeIn, setFirstMode } from './switch.ts';

/** What a scope works with. */
interface ScopeTools {
  readonly exec: Exec;
  readonly reach: Reach;
}

/** How often the API server and the watches are looked at; far below what the brain calls blind. */
const lookEvery = 5000;
/** However many depend on one, and however often they ask. */
const askEvery = 2000;
/** In looks: to ask for thousands of objects is some work. */
const forgetEvery = 6;

export class HealerScope {
  readonly memories: ServiceMemories;
  readonly clusterState: ClusterState;
  readonly checks: ServiceChecks;
  readonly freshness: WatchFreshness;
  readonly reach: Reach;
  readonly hooks: DependantHooks;
  readonly usage: UsageReader;
  readonly secrets: Secrets;
  readonly alerting: Alerting;
  readonly agents: NodeAgents | undefined;
  readonly tally = new Tally();
  readonly overview = new Overview();
  readonly now: () => Millis;
  readonly #context: CompanionContext;
  readonly #firstMode: Mode | undefined;
  #hasLearned = false;
  #looks = 0;
  /** When the operator last looked around. */
  lookedAt: Millis;
  /** As the last reconcile has looked: for what happens between reconciles. */
  look: Look | undefined;

  constructor(context: CompanionContext, options: HealerOptions, { exec, reach }: ScopeTools) {
    const { cluster = clusterDefaults, alerting = eventsOnly, now = Date.now, threads } = options;
    this.#context = context;
    this.#firstMode = options.mode;
    this.now = now;
    this.alerting = alerting;
    this.lookedAt = now();
    this.clusterState = new ClusterState(cluster);
    this.freshness = new WatchFreshness(now());
    this.reach = reach;
    this.hooks = new DependantHooks(now, reach);
    this.secrets = new Secrets(now);
    this.usage = new UsageReader({
      reach,
      client: () => context.manager.client,
      now,
      wake: ({ reference }) => context.wake(reference),
    });
    this.checks = new ServiceChecks({
      wake: ({ reference }) => context.wake(reference),
      exec,
      now,
      ...(threads !== undefined && { threads }),
    });
    const { client } = context.manager;
    const addressesOf = (memory: ServiceMemory) => this.checks.addressesOf(memory);
    const wake = ({ reference }: ServiceMemory) => context.wake(reference);
    this.agents = options.agents && new NodeAgents({ ...options.agents, client, now, addressesOf, wake });
    this.memories = new ServiceMemories((memory) => {
      this.checks.forget(memory);
      this.clusterState.delete(memory.name);
    });
  }

  /** What the cluster's switch says at this moment. */
  get mode(): Mode {
    return modeIn(this.look, this.#firstMode);
  }

  /** Has these services thought about, by their full names. */
  wake(names: Iterable<string>): void {
    for (const name of names) this.#context.wake(referenceTo(name));
  }

  /** Has these services looked at closely: somebody who depends on them has trouble. */
  suspect(names: Iterable<string>): void {
    for (const name of names) {
      const memory = this.memories.get(name);
      if (memory) this.checks.lookNow(memory);
    }
  }

  /** Has these services thought about: somebody waits to see them well. */
  ask(names: Iterable<string>): void {
    const now = this.now();
    for (const name of names) {
      const memory = this.memories.get(name);
      if (!memory || now - (memory.askedAt ?? Number.NEGATIVE_INFINITY) < askEvery) continue;
      memory.askedAt = now;
      this.wake([name]);
    }
  }

  /** Those of these services that wait to see well what they depend on. */
  waiting(names: readonly string[]): string[] {
    return names.filter((name) => this.memories.get(name)?.record?.history.incident?.stage === 'waitingForDependency');
  }

  /** What is remembered of a service: as it is in mind, else as it is written. */
  historyOf(full: string, look: Look): History | undefined {
    const known = this.memories.get(full)?.record;
    if (known) return known.history;
    const kurator = look.get(Kurator, referenceTo(full));
    return kurator && recordOf(kurator, this.now()).history;
  }

  /** Learns once, after a start, what is written of all services: budgets count from before it. */
  learn(look: Look): void {
    if (this.#hasLearned) return;
    this.#hasLearned = true;
    for (const kurator of look.list(Kurator, { namespace: '*' })) {
      if (isGoing(kurator)) continue;
      this.clusterState.note(nameOf(kurator), recordOf(kurator, this.now()).history, undefined);
    }
  }

  /** How all other components do, in a word each: the control plane, the nodes, and every service, the worst first. */
  others({ memory, context, now }: Pick<Pass, 'memory' | 'context' | 'now'>): Others {
    return this.othersThan(memory.name, context, now);
  }

  /** The same for whoever has no pass of its own. */
  othersThan(service: string, look: Pick<Look, 'list'>, now = this.now()): Others {
    const sources = {
      services: this.clusterState.all(),
      conditionOf: (name: string) => this.memories.get(name)?.evidence?.condition,
      look,
      heardAt: this.freshness.currentAt(),
    };
    return this.overview.others(service, sources, now);
  }

  /** Runs for as long as the operator may act. */
  runnable(): Runnable {
    return {
      name: 'healer',
      run: async ({ stop }) => {
        await this.#setFirstMode(stop);
        const timer = setInterval(() => void this.#lookAround(), lookEvery);
        await new ClusterEvents(this).run(this.#context, stop);
        clearInterval(timer);
        this.hooks.close();
        this.agents?.close();
        await this.checks.close();
      },
      health: () => {
        const age = this.now() - this.lookedAt;
        return age > 12 * lookEvery ? `it has not looked around for ${Math.round(age / 1000)} s` : undefined;
      },
    };
  }

  async #setFirstMode(signal: AbortSignal): Promise<void> {
    const mode = this.#firstMode;
    if (!mode) return;
    const { leaderClient, logger } = this.#context.manager;
    try {
      const isSet = await setFirstMode(leaderClient, mode, signal);
      if (!isSet) logger.info({ mode }, 'the switch stays as somebody has set it');
    } catch (error) {
      // It counts all the same while the switch is not there.
      logger.warn({ mode, error }, 'the switch could not be set as the installation wants it');
    }
  }

  async #lookAround(): Promise<void> {
    const { client, caches } = this.#context.manager;
    const now = this.now();
    this.lookedAt = now;
    const wasBlind = now - this.freshness.currentAt() > 2 * lookEvery;
    this.freshness.look(
      caches.all().map((cache) => [cache, cache.state()] as const),
      now,
    );
    if (this.#looks++ % forgetEvery === 0) this.#forgetDeleted();
    try {
      await client.raw('GET', '/version', { timeout: lookEvery });
      this.freshness.answered(now);
      if (wasBlind) this.wake(this.#troubled());
    } catch {
      // That nothing was heard is what matters, and is noticed by who asks when there was.
    }
  }

  #forgetDeleted(): void {
    const { look } = this;
    if (!look) return;
    const known = [...this.clusterState.all(), ...this.memories.all()].map(({ name }) => name);
    for (const name of new Set(known)) {
      const kurator = look.get(Kurator, referenceTo(name));
      if (kurator && !isGoing(kurator)) continue;
      this.memories.delete(name);
      this.clusterState.delete(name);
    }
  }

  #troubled(): string[] {
    const isOpen = ({ record }: ServiceMemory) => record?.history.incident !== undefined;
    return Array.from(this.memories.all())
      .filter(isOpen)
      .map(({ name }) => name);
  }
}

/** Nobody looks after one that is being deleted, however long that takes. */
function isGoing({ metadata }: Kurator): boolean {
  return metadata.deletionTimestamp !== undefined;
}
