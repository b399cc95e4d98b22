import { AsyncLocalStorage } from 'node:async_hooks';
import type { KubernetesObject } from '@kurator/client';
import type { Happening } from '../../events/happening.ts';
import type { PlannedWrite } from './dry-run-client.ts';
import {
  type DryRunFailure,
  type DryRunReport,
  mergeChanges,
  type PlannedChange,
  type PlannedEvent,
  plannedChange,
  reportText,
} from './report.ts';

/** Gathers what reconciles would do, several of them at a time: each finding is put down to the one that it came from. */
export class Findings {
  readonly #whom = new AsyncLocalStorage<string>();
  readonly #changes: PlannedChange[] = [];
  readonly #events: PlannedEvent[] = [];
  readonly #failures: DryRunFailure[] = [];
  readonly #cleanups: string[] = [];
  #reconciled = 0;

  /** Does something for the sake of an object, for example `MyApp default/web`; a failure is a finding. */
  async about(whom: string, act: () => Promise<unknown>): Promise<void> {
    this.#reconciled += 1;
    try {
      await this.#whom.run(whom, act);
    } catch (error) {
      this.#failures.push({ for: whom, error });
    }
  }

  write(cluster: string, write: PlannedWrite): void {
    const change = plannedChange(write, { for: this.#whom.getStore() ?? '', cluster });
    if (change) this.#changes.push(change);
  }

  event(_regarding: KubernetesObject, { type, reason, note }: Happening): void {
    this.#events.push({ for: this.#whom.getStore() ?? '', type, reason, note });
  }

  cleanup(whom: string): void {
    this.#cleanups.push(whom);
  }

  report(): DryRunReport {
    const found = {
      reconciled: this.#reconciled,
      changes: mergeChanges(this.#changes).toSorted((a, b) => order(a, b)),
      events: this.#events,
      failures: this.#failures.toSorted((a, b) => a.for.localeCompare(b.for)),
      cleanups: this.#cleanups,
    };
    return { ...found, toString: () => reportText(found) };
  }
}

/** What can't be undone comes first, whoever it is for. */
function order(a: PlannedChange, b: PlannedChange): number {
  const rank = ({ action }: PlannedChange) => (action === 'delete' ? 0 : 1);
  return rank(a) - rank(b) || `${a.for} ${a.kind} ${a.key}`.localeCompare(`${b.for} ${b.kind} ${b.key}`);
}
