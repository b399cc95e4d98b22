/**
 * What has happened, counted as it does: nothing here is read by the healer itself. It begins at zero with each process,
 * as counters of Prometheus do. No label has more values than the brain has words, so it never grows.
 */
import { Histogram, type Sample } from '@kurator/sdk';
import type { History } from '../../brain/incident/history.ts';
import type { ActionOutcome, Attempt, Incident } from '../../brain/incident/incident.ts';
import type { Thought } from '../../brain/think.ts';

type Labels = Sample['labels'];

/** How often each of a bounded set of things happened. */
export class Counter {
  readonly #counts = new Map<string, { labels: Labels; value: number }>();

  add(labels: Labels, number = 1): void {
    const key = Object.values(labels).join(' ');
    const known = this.#counts.get(key);
    if (known) known.value += number;
    else this.#counts.set(key, { labels, value: number });
  }

  samples(): Iterable<Sample> {
    return this.#counts.values();
  }
}

/** Times by cause: from an event, which takes no time, to what takes a night. */
class Times {
  readonly #byCause = new Map<string, Histogram>();

  observe(cause: string, milliseconds: number): void {
    const known = this.#byCause.get(cause) ?? new Histogram(bounds);
    this.#byCause.set(cause, known);
    known.observe(Math.max(0, milliseconds) / 1000);
  }

  *samples(): Iterable<Sample> {
    for (const [cause, histogram] of this.#byCause) yield* histogram.samples({ cause });
  }
}

const bounds = [0.1, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 14_400];

/** Everything that is counted. */
export class Tally {
  readonly stages = new Counter();
  readonly steps = new Counter();
  readonly actions = new Counter();
  readonly notifications = new Counter();
  readonly notices = new Counter();
  readonly answers = new Counter();
  readonly scalings = new Counter();
  readonly alertAttempts = new Counter();
  readonly detecting = new Times();
  readonly recovering = new Times();

  /** A thought was written down: what it has changed, and whom it tells. */
  thought(before: History, { incident, history, notifications, notices }: Thought): void {
    for (const { severity, silenced } of notifications) {
      this.notifications.add({ severity, silenced: silenced ?? '' });
    }
    for (const { phase } of notices) this.notices.add({ phase });
    if (!incident) return;
    const known = before.incident?.id === incident.id ? before.incident : undefined;
    for (const { to } of incident.transitions.slice(known?.transitions.length ?? 0)) this.stages.add({ stage: to });
    for (const { step, result = '' } of ended(incident, known)) this.steps.add({ step, result });
    this.#times(incident, known, history.incident === undefined);
  }

  acted(kind: string, { result }: Pick<ActionOutcome, 'result'>): void {
    this.actions.add({ kind, outcome: result });
  }

  #times({ diagnosis, startedAt, confirmedAt, recoveredAt }: Incident, known: Incident | undefined, isClosed: boolean) {
    const cause = diagnosis?.cause ?? '';
    if (confirmedAt === undefined) return;
    if (known?.confirmedAt === undefined) this.detecting.observe(cause, confirmedAt - startedAt);
    // Not before it is closed: until then it may come back, and was no recovery.
    if (isClosed && recoveredAt !== undefined) this.recovering.observe(cause, recoveredAt - startedAt);
  }
}

/** Tries of steps that have ended since. */
function ended({ attempts }: Incident, known: Incident | undefined): Attempt[] {
  return attempts.filter(({ result }, index) => result !== undefined && known?.attempts[index]?.result === undefined);
}
