/** What one running operator has for all Kurators together: their minds, their checks, the weather, and the way to people. */
import type { CompanionContext, Runnable } from '@kurator/sdk';
import { Agents, type AgentsSettings } from '../agent/agents.ts';
import type { History } from '../brain/incident/history.ts';
import type { ClusterSpec, Mode } from '../brain/spec.ts';
import { clusterDefaults } from '../brain/spec-defaults.ts';
import type { Millis } from '../brain/time.ts';
import { Checkups } from '../checking/checkups.ts';
import { Secrets } from '../checking/secrets.ts';
import type { Exec } from '../checks/probes/exec-probe.ts';
import type { Reach } from '../network/reach.ts';
import { Tally } from '../recording/tally.ts';
import { Kurator } from '../resources/kurator.ts';
import { Gauges } from '../scaling/gauges.ts';
import { modeIn, setFirstMode } from '../switching/switching.ts';
import { type Alerting, eventsOnly } from './alerting.ts';
import { Contact } from './contact.ts';
import { Hooks } from './hooks.ts';
import { Listening } from './listening.ts';
import { memoryOf } from './memory.ts';
import { type Mind, Minds, nameOf } from './mind.ts';
import { Overview } from './overview.ts';
import type { Look } from './scene.ts';
import { Weather } from './weather.ts';

/** How the healer works; everything has a default. */
export interface WardOptions {
  /** Budgets and storms for all services together. */
  readonly cluster?: ClusterSpec;
  readonly alerting?: Alerting;
  /** What the cluster's switch is set to where nobody has set it; it is left alone, and missing means `On`, unless given. */
  readonly mode?: Mode;
  /** Agents on the nodes, which look from elsewhere; none are asked unless given. */
  readonly agents?: AgentsSettings;
  /** Threads for checks; see the scheduler. */
  readonly threads?: number;
  readonly now?: () => Millis;
  /** Addresses and ranges that may be talked to though they are the operator's own, the link's, a node's or the API server's. */
  readonly allowAddresses?: readonly string[];
}

/** What a ward works with. */
interface WardTools {
  readonly exec: Exec;
  readonly reach: Reach;
}

/** How often the API server and the watches are looked at; far below what the brain calls blind. */
const lookEvery = 5000;
/** However many depend on one, and however often they ask. */
const askEvery = 2000;
/** In looks: to ask for thousands of objects is some work. */
const forgetEvery = 6;

export class Ward {
  readonly minds: Minds;
  readonly weather: Weather;
  readonly checkups: Checkups;
  readonly contact: Contact;
  readonly reach: Reach;
  readonly hooks: Hooks;
  readonly gauges: Gauges;
  readonly secrets: Secrets;
  readonly alerting: Alerting;
  readonly agents: Agents | undefined;
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

  constructor(context: CompanionContext, options: WardOptions, { exec, reach }: WardTools) {
    const { cluster = clusterDefaults, alerting = eventsOnly, now = Date.now, threads } = options;
    this.#context = context;
    this.#firstMode = options.mode;
    this.now = now;
    this.alerting = alerting;
    this.lookedAt = now();
    this.weather = new Weather(cluster);
    this.contact = new Contact(now());
    this.reach = reach;
    this.hooks = new Hooks(now, reach);
    this.secrets = new Secrets(now);
    this.gauges = new Gauges({
      reach,
      client: () => context.manager.client,
      now,
      wake: ({ reference }) => context.wake(reference),
    });
    this.checkups = new Checkups({
      wake: ({ reference }) => context.wake(reference),
      exec,
      now,
      ...(threads !== undefined && { threads }),
    });
    const { client } = context.manager;
    const addressesOf = (mind: Mind) => this.checkups.addressesOf(mind);
    const wake = ({ reference }: Mind) => context.wake(reference);
    this.agents = options.agents && new Agents({ ...options.agents, client, now, addressesOf, wake });
    this.minds = new Minds((mind) => {
      this.checkups.forget(mind);
      this.weather.delete(mind.name);
    });
  }

  /** What the cluster's switch says at this moment. */
  get mode(): Mode {
    return modeIn(this.look, this.#firstMode);
  }

  /** Has these services thought about, by their full names. */
  wake(names: Iterable<string>): void {
    for (const full of names) {
      const [namespace, name = ''] = full.split('/');
      this.#context.wake({ name, namespace });
    }
  }

  /** Has these services looked at closely: somebody who depends on them has trouble. */
  suspect(names: Iterable<string>): void {
    for (const name of names) {
      const mind = this.minds.get(name);
      if (mind) this.checkups.lookNow(mind);
    }
  }

  /** Has these services thought about: somebody waits to see them well. */
  ask(names: Iterable<string>): void {
    const now = this.now();
    for (const name of names) {
      const mind = this.minds.get(name);
      if (!mind || now - (mind.askedAt ?? Number.NEGATIVE_INFINITY) < askEvery) continue;
      mind.askedAt = now;
      this.wake([name]);
    }
  }

  /** Those of these services that wait to see well what they depend on. */
  waiting(names: readonly string[]): string[] {
    return names.filter((name) => this.minds.get(name)?.memory?.history.incident?.stage === 'waitingForDependency');
  }

  /** What is remembered of a service: as it is in mind, else as it is written. */
  historyOf(full: string, look: Look): History | undefined {
    const known = this.minds.get(full)?.memory;
    if (known) return known.history;
    const [namespace, name = ''] = full.split('/');
    const kurator = look.get(Kurator, { name, namespace });
    return kurator && memoryOf(kurator, this.now()).history;
  }

  /** Learns once, after a start, what is written of all services: budgets count from before it. */
  learn(look: Look): void {
    if (this.#hasLearned) return;
    this.#hasLearned = true;
    for (const kurator of look.list(Kurator, { namespace: '*' })) {
      if (isGoing(kurator)) continue;
      this.weather.note(nameOf(kurator), memoryOf(kurator, this.now()).history, undefined);
    }
  }

  /** Runs for as long as the operator may act. */
  runnable(): Runnable {
    return {
      name: 'healer',
      run: async ({ stop }) => {
        await this.#setFirstMode(stop);
        const timer = setInterval(() => void this.#lookAround(), lookEvery);
        await new Listening(this).run(this.#context, stop);
        clearInterval(timer);
        this.hooks.close();
        this.agents?.close();
        await this.checkups.close();
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
      if (!isSet) logger.info({ mode }, 'the switch stays as a person has set it');
    } catch (error) {
      // It counts all the same while the switch is not there.
      logger.warn({ mode, error }, 'the switch could not be set as the installation wants it');
    }
  }

  async #lookAround(): Promise<void> {
    const { client, caches } = this.#context.manager;
    const now = this.now();
    this.lookedAt = now;
    const wasBlind = now - this.contact.currentAt() > 2 * lookEvery;
    this.contact.look(
      caches.all().map((cache) => [cache, cache.state()] as const),
      now,
    );
    if (this.#looks++ % forgetEvery === 0) this.#forgetDeleted();
    try {
      await client.raw('GET', '/version', { timeout: lookEvery });
      this.contact.answered(now);
      if (wasBlind) this.wake(this.#troubled());
    } catch {
      // That nothing was heard is what matters, and is noticed by who asks when there was.
    }
  }

  #forgetDeleted(): void {
    const { look } = this;
    if (!look) return;
    const known = [...this.weather.all(), ...this.minds.all()].map(({ name }) => name);
    for (const name of new Set(known)) {
      const [namespace, plain = ''] = name.split('/');
      const kurator = look.get(Kurator, { name: plain, namespace });
      if (kurator && !isGoing(kurator)) continue;
      this.minds.delete(name);
      this.weather.delete(name);
    }
  }

  #troubled(): string[] {
    const isOpen = ({ memory }: Mind) => memory?.history.incident !== undefined;
    return Array.from(this.minds.all())
      .filter(isOpen)
      .map(({ name }) => name);
  }
}

/** Nobody looks after one that is being deleted, however long that takes. */
function isGoing({ metadata }: Kurator): boolean {
  return metadata.deletionTimestamp !== undefined;
}
