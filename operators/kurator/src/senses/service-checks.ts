/** The checks of all Kurators: kept scheduled as the pods come and go, each at the pace that the brain wants. */

import { isDeepStrictEqual } from 'node:util';
import { withoutSecrets } from '@kurator/sdk';
import { theService, wasAnswered } from '../brain/observation.ts';
import { type CheckSituation, paceOf } from '../brain/pace.ts';
import { nextCheck } from '../brain/perception/next-check.ts';
import { type Perception, perceive } from '../brain/perception/perception.ts';
import type { CheckSpec } from '../brain/spec.ts';
import type { Millis } from '../brain/time.ts';
import type { ServiceMemory } from '../memory/service-memory.ts';
import type { Probe } from './checks/check.ts';
import type { CheckResult } from './checks/check-result.ts';
import { CheckScheduler, type CheckSchedulerOptions } from './checks/check-scheduler.ts';
import type { CheckStatistics } from './checks/scheduler/statistics.ts';
import { NodeAnswers } from './node-answers.ts';

/** A check that is to be run: what of, and how. */
export interface PlannedCheck {
  /** The pod's uid, or `service`. */
  readonly target: string;
  readonly check: CheckSpec;
  readonly probe: Probe;
}

interface Entry {
  readonly memory: ServiceMemory;
  readonly knownSince: Millis;
  planned: PlannedCheck;
  /** When it was last edited. */
  editedAt?: Millis;
  lastAt?: Millis;
  /** For people, in evidence. */
  lastResult?: CheckResult;
}

/** What checks are made of. */
export interface ServiceChecksOptions extends Pick<CheckSchedulerOptions, 'exec' | 'threads'> {
  /** Something was seen that deserves a thought. */
  wake(memory: ServiceMemory): void;
  readonly now: () => Millis;
}

const longest = 86_400_000;

/** Keeps checks scheduled. */
export class ServiceChecks {
  readonly #options: ServiceChecksOptions;
  readonly #scheduler: CheckScheduler;
  /** By the scheduler's target and check. */
  readonly #entries = new Map<string, Entry>();
  readonly #byService = new Map<ServiceMemory, Set<string>>();
  /** Of all Kurators' pods. */
  readonly nodeAnswers = new NodeAnswers();
  #isClosed = false;

  constructor(options: ServiceChecksOptions) {
    this.#options = options;
    const { exec, threads } = options;
    this.#scheduler = new CheckScheduler({
      onResult: (result) => this.#take(result),
      ...(exec && { exec }),
      ...(threads !== undefined && { threads }),
    });
  }

  get statistics(): CheckStatistics {
    return this.#scheduler.statistics();
  }

  get size(): number {
    return this.#scheduler.size;
  }

  /** Makes these the checks of a Kurator, each at its present pace. */
  plan(memory: ServiceMemory, checks: readonly PlannedCheck[]): void {
    if (this.#isClosed) return;
    const wanted = new Set<string>();
    for (const planned of checks) {
      const key = keyOf(memory, planned.target, planned.check.name);
      wanted.add(key);
      this.#set(key, memory, planned);
    }
    for (const key of this.#byService.get(memory) ?? []) if (!wanted.has(key)) this.#remove(key);
    this.#byService.set(memory, wanted);
  }

  /** Something happened to these targets, or to any if none is given: they are looked at now. */
  lookNow(memory: ServiceMemory, targets?: ReadonlySet<string>): void {
    for (const key of this.#byService.get(memory) ?? []) {
      const entry = this.#entries.get(key);
      if (!entry || (targets && !targets.has(entry.planned.target))) continue;
      this.#scheduler.checkNow(schedulerKey(entry));
    }
  }

  /** Where the instances of a service are asked, by uid: the first network check of each. */
  addressesOf(memory: ServiceMemory): Map<string, { host: string; port: number }> {
    const addresses = new Map<string, { host: string; port: number }>();
    for (const key of this.#byService.get(memory) ?? []) {
      const { target, probe } = this.#entries.get(key)?.planned ?? {};
      if (!target || target === theService || !probe || probe.kind === 'exec' || addresses.has(target)) continue;
      addresses.set(target, { host: probe.host, port: probe.port });
    }
    return addresses;
  }

  forget(memory: ServiceMemory): void {
    for (const key of this.#byService.get(memory) ?? []) this.#remove(key);
    this.#byService.delete(memory);
  }

  /** The last results of one target, in words. */
  resultsOf(memory: ServiceMemory, target: string): CheckResult[] {
    const keys = [...(this.#byService.get(memory) ?? [])];
    const entries = keys.flatMap((key) => this.#entries.get(key) ?? []);
    return entries.filter(({ planned }) => planned.target === target).flatMap(({ lastResult }) => lastResult ?? []);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#scheduler.close();
  }

  #set(key: string, memory: ServiceMemory, planned: PlannedCheck): void {
    const known = this.#entries.get(key);
    if (!known) {
      const entry: Entry = { memory, planned, knownSince: this.#options.now() };
      this.#entries.set(key, entry);
      // The first look follows soon; from then on each result says when the next is due.
      this.#schedule(entry, planned.check.fastest);
      return;
    }
    // The same object lets the scheduler go on without a break.
    const probe = isDeepStrictEqual(known.planned.probe, planned.probe) ? known.planned.probe : planned.probe;
    if (planned.check.definition !== known.planned.check.definition) known.editedAt = this.#options.now();
    known.planned = { ...planned, probe };
    this.#schedule(known, known.lastAt === undefined ? planned.check.fastest : this.#interval(known, known.lastAt));
  }

  #schedule(entry: Entry, intervalMs: number): void {
    const { check, probe } = entry.planned;
    this.#scheduler.set({ ...schedulerKey(entry), probe, timeoutMs: check.timeout, intervalMs });
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#scheduler.remove(schedulerKey(entry));
    this.#entries.delete(key);
    entry.memory.latencies.delete(entry.planned.target);
  }

  #take(found: CheckResult): number | undefined {
    // What a command or a server has said goes into events, alerts and records from here.
    const result = found.message === '' ? found : { ...found, message: withoutSecrets(found.message) };
    const entry = this.#entries.get(`${result.target}\n${result.check}`);
    const { spec, seen } = entry?.memory ?? {};
    if (!entry || !spec || !seen) return undefined;
    const { memory, planned } = entry;
    // An answer to what it asked before it was edited may still have been on its way.
    if (result.at - result.latencyMs < (entry.editedAt ?? 0)) return undefined;
    entry.lastResult = result;
    if (planned.probe.kind === 'exec') this.#noteRole(memory, result);
    entry.lastAt = result.at - result.latencyMs;
    if (result.outcome === 'healthy') noteLatency(memory, planned.target, result.latencyMs);
    const { node } = seen.instances.find(({ uid }) => uid === planned.target) ?? {};
    if (node !== undefined && wasAnswered(result)) this.nodeAnswers.note(node, entry.lastAt);
    const news = { ...result, target: planned.target };
    const before = memory.perception;
    memory.perception = perceive(spec, before, { results: [news], samples: [], instances: seen.instances });
    if (isNews(memory, before, news)) this.#options.wake(memory);
    return this.#interval(entry, entry.lastAt);
  }

  #noteRole(memory: ServiceMemory, { errorKind, outcome }: CheckResult): void {
    const isMissing = errorKind === 'exec-denied';
    // Any other trouble of the checker says nothing about it.
    if ((!isMissing && outcome === 'unknown') || memory.missingRoles.has('exec') === isMissing) return;
    if (isMissing) memory.missingRoles.add('exec');
    else memory.missingRoles.delete('exec');
    this.#options.wake(memory);
  }

  /** From the beginning of the last run to the next. */
  #interval({ memory, planned, knownSince }: Entry, lastAt: Millis): number {
    const { spec, seen, perception, evidence, record } = memory;
    if (!spec || !seen || !record) return planned.check.period;
    const { check, target } = planned;
    const situation: CheckSituation = {
      spec,
      check,
      target,
      seen,
      perception,
      history: record.history,
      evidence,
      knownSince,
      lastAt,
    };
    const { at } = nextCheck(check, paceOf(situation), this.#options.now());
    return Math.min(longest, Math.max(1, Math.round(at - lastAt)));
  }
}

/** How much the newest answer weighs in the average. */
const weight = 0.2;

function noteLatency({ latencies }: ServiceMemory, target: string, latencyMs: number): void {
  const before = latencies.get(target) ?? latencyMs;
  latencies.set(target, before + weight * (latencyMs - before));
}

function keyOf({ name }: ServiceMemory, target: string, check: string): string {
  return `${name} ${target}\n${check}`;
}

/** Pods are known by their uid everywhere, the Service only within its Kurator. */
function schedulerKey({ memory, planned }: Entry) {
  return { target: `${memory.name} ${planned.target}`, check: planned.check.name };
}

/** @param before What was in mind before this result; the memory has it already. */
function isNews({ perception, record, evidence }: ServiceMemory, before: Perception, result: CheckResult): boolean {
  if (result.outcome === 'unknown') return false;
  // While anything is not as it should be, every answer may be the one that was waited for.
  if (result.outcome === 'failing' || record?.history.incident || evidence?.condition !== 'up') return true;
  const now = perception.targets[result.target];
  const was = before.targets[result.target];
  const track = now?.checks[result.check];
  const wasTrack = was?.checks[result.check];
  if (track?.verdict !== wasTrack?.verdict || (wasTrack?.failures ?? 0) > 0) return true;
  if ((track?.tempo.slow ?? 0) > 0 || (wasTrack?.tempo.slow ?? 0) > 0) return true;
  if (track?.certificateExpiresAt !== wasTrack?.certificateExpiresAt) return true;
  return Object.entries(now?.paths ?? {}).some(([from, { verdict }]) => verdict !== was?.paths[from]?.verdict);
}
