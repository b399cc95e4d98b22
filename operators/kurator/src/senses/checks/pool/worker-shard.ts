/**
 * Checks in a thread of their own: work of the operator can't make them late, and they can't make it late. A thread
 * that ends, or falls silent, is started again; until then its checks read unknown.
 */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Check } from '../check.ts';
import { findingOf } from '../probes/probe-run.ts';
import { type CheckStatistics, noStatistics, sumOfStatistics } from '../scheduler/statistics.ts';
import { decodeResults } from './result-batch.ts';
import type { OnShardResult, Shard, ShardCommand, ShardSettings } from './shard.ts';
import type { ShardMessage } from './shard-worker.ts';

/** What a {@link WorkerShard} needs besides its settings. */
export interface WorkerShardOptions {
  readonly settings: ShardSettings;
  onResult: OnShardResult;
  /** The thread's program. Default: shard-worker.ts beside this file. */
  readonly entry?: URL;
  /** How long a thread may say nothing before it counts as hung. Default 10,000 ms. */
  readonly silenceMs?: number;
}

interface Held {
  check: Check;
  version: number;
}

/** Posting takes time for each check, and this thread has other work: so many at once, then the rest of it. */
const COMMANDS_PER_MESSAGE = 500;
const SHORTEST_RESTART_MS = 100;
const LONGEST_RESTART_MS = 10_000;
/** A thread's garbage is short-lived: with room for more of it V8 takes more memory, and is no faster. */
const YOUNG_GENERATION_MB = 12;

// Published, both are JavaScript; bundled, shard-worker.js is a bundle of its own beside the program.
const defaultEntry = new URL(
  import.meta.url.endsWith('.ts') ? './shard-worker.ts' : './shard-worker.js',
  import.meta.url,
);

/** Fails at the start, where somebody sees it, and not with each check: threads would end as soon as they begin. */
export function assertThreadProgram(entry: URL = defaultEntry): void {
  if (existsSync(entry)) return;
  const name = basename(entry.pathname);
  throw new Error(
    `checks can't be run in threads: there is no ${entry.pathname}. Bundle src/senses/checks/pool/shard-worker.ts of the ` +
      `healer as ${name}, beside the program, or run checks without threads (threads: 0)`,
  );
}

export class WorkerShard implements Shard {
  readonly #options: WorkerShardOptions;
  readonly #held = new Map<number, Held>();
  readonly #watchdog: NodeJS.Timeout;
  #worker: Worker | undefined;
  #outbox: ShardCommand[] = [];
  #posting: NodeJS.Immediate | undefined;
  #restarting: NodeJS.Timeout | undefined;
  #restartMs = SHORTEST_RESTART_MS;
  #silences = 0;
  #versions = 0;
  #statistics = noStatistics;
  /** Of threads that are no more. */
  #past = noStatistics;
  #closed = false;

  constructor(options: WorkerShardOptions) {
    this.#options = options;
    // Counted in our own turns, so that a hold-up of this thread is not taken for silence of the other.
    this.#watchdog = setInterval(() => this.#watch(), (options.silenceMs ?? 10_000) / 10);
    this.#start();
  }

  set(id: number, check: Check): void {
    const version = ++this.#versions;
    this.#held.set(id, { check, version });
    this.#tell(['set', id, version, check]);
  }

  remove(id: number): void {
    this.#held.delete(id);
    this.#tell(['remove', id]);
  }

  setInterval(id: number, intervalMs: number): void {
    const held = this.#held.get(id);
    if (!held || held.check.intervalMs === intervalMs) return;
    held.check = { ...held.check, intervalMs };
    this.#tell(['interval', id, intervalMs]);
  }

  checkNow(id: number): void {
    this.#tell(['now', id]);
  }

  /** At most a second old. */
  statistics(): CheckStatistics {
    return { ...sumOfStatistics([this.#past, this.#statistics]), checks: this.#held.size };
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#watchdog);
    clearTimeout(this.#restarting);
    clearImmediate(this.#posting);
    await this.#worker?.terminate();
  }

  #start(): void {
    const { settings, entry = defaultEntry } = this.#options;
    const worker = new Worker(entry, {
      name: 'kurator-checks',
      workerData: settings,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    this.#worker = worker;
    this.#silences = 0;
    let reason = 'it ended';
    worker.on('error', (error) => {
      reason = error.message;
    });
    worker.on('message', (message: ShardMessage) => this.#heard(message));
    worker.on('exit', () => this.#lost(reason));
    this.#outbox = [...this.#held].map(([id, { check, version }]) => ['set', id, version, check]);
    this.#post();
  }

  #tell(command: ShardCommand): void {
    if (!this.#worker) return;
    this.#outbox.push(command);
    this.#posting ??= setImmediate(() => this.#post());
  }

  #post(): void {
    this.#posting = undefined;
    if (this.#outbox.length === 0) return;
    this.#worker?.postMessage(this.#outbox.splice(0, COMMANDS_PER_MESSAGE));
    if (this.#outbox.length > 0) this.#posting = setImmediate(() => this.#post());
  }

  #heard({ results, statistics }: ShardMessage): void {
    this.#silences = 0;
    if (statistics) {
      this.#statistics = statistics;
      this.#restartMs = SHORTEST_RESTART_MS;
    }
    if (!results || this.#closed) return;
    decodeResults(results, (id, version, result) => {
      // Of a check that was changed or removed while its result was under way.
      if (this.#held.get(id)?.version !== version) return;
      const intervalMs = this.#options.onResult(id, result);
      if (intervalMs !== undefined) this.setInterval(id, intervalMs);
    });
  }

  #watch(): void {
    this.#silences++;
    // `exit` follows, and with it all the rest.
    if (this.#worker && this.#silences > 10) void this.#worker.terminate();
  }

  #lost(reason: string): void {
    if (this.#closed) return;
    this.#worker = undefined;
    this.#outbox = [];
    this.#past = { ...sumOfStatistics([this.#past, this.#statistics]), running: 0, waiting: 0 };
    this.#statistics = noStatistics;
    this.#restarting = setTimeout(() => this.#start(), this.#restartMs);
    this.#restartMs = Math.min(this.#restartMs * 2, LONGEST_RESTART_MS);
    const finding = findingOf('checker-lost', `the thread of the checks is being restarted: ${reason}`);
    for (const id of [...this.#held.keys()]) this.#options.onResult(id, { ...finding, at: Date.now(), latencyMs: 0 });
  }
}
