/** One thing that happened to one object, and how often. One Event on the server. */
import { randomBytes } from 'node:crypto';
import { microTime } from '@kurator/client';
import type { EventObjectReference, ReportedEvent } from '../event.ts';
import type { Happening } from '../happening.ts';

export interface Reporter {
  readonly controller: string;
  readonly instance: string;
}

export class Series {
  readonly key: string;
  /** Which object's allowance its writes are taken from. */
  readonly objectKey: string;
  readonly #regarding: EventObjectReference;
  readonly #related: EventObjectReference | undefined;
  readonly #happening: Happening;
  readonly #reporter: Reporter;
  readonly #firstDate: number;
  name: string;
  /** Whether the server has it, as far as we know. */
  stored = false;
  /** In the outbox. */
  queued = false;
  count = 1;
  /** How many of them the server knows of. */
  told = 0;
  #lastDate: number;
  /** Clock.now() of the last time. */
  lastAt: number;

  constructor(
    key: string,
    regarding: EventObjectReference,
    related: EventObjectReference | undefined,
    happening: Happening,
    reporter: Reporter,
    at: { now: number; date: number },
  ) {
    this.key = key;
    this.objectKey = objectKeyOf(regarding);
    this.#regarding = regarding;
    this.#related = related;
    this.#happening = happening;
    this.#reporter = reporter;
    this.#firstDate = at.date;
    this.#lastDate = at.date;
    this.lastAt = at.now;
    this.name = eventName(regarding.name ?? '');
  }

  /** The server has forgotten it: it will be a new one. */
  rename(): void {
    this.stored = false;
    this.name = eventName(this.#regarding.name ?? '');
  }

  again(at: { now: number; date: number }): void {
    this.count++;
    this.#lastDate = at.date;
    this.lastAt = at.now;
  }

  // Events about what belongs to the whole cluster live in `default`: the server wants it so.
  get namespace(): string {
    return this.#regarding.namespace ?? 'default';
  }

  get series(): { count: number; lastObservedTime: string } | undefined {
    return this.count < 2 ? undefined : { count: this.count, lastObservedTime: microTime(this.#lastDate) };
  }

  manifest(): Omit<ReportedEvent, 'apiVersion' | 'kind'> {
    const { type, reason, action, note } = this.#happening;
    const { series } = this;
    return {
      metadata: { name: this.name, namespace: this.namespace },
      eventTime: microTime(this.#firstDate),
      type,
      reason,
      action,
      note,
      regarding: this.#regarding,
      reportingController: this.#reporter.controller,
      reportingInstance: this.#reporter.instance,
      ...(this.#related && { related: this.#related }),
      ...(series && { series }),
    };
  }
}

function objectKeyOf({ apiVersion, kind, namespace, name, uid }: EventObjectReference): string {
  return uid ?? `${apiVersion}/${kind}/${namespace}/${name}`;
}

/** What must be equal for two happenings to be one series. */
export function seriesKey(
  regarding: EventObjectReference,
  related: EventObjectReference | undefined,
  { type, reason, action, note }: Happening,
): string {
  return [objectKeyOf(regarding), related ? objectKeyOf(related) : '', type, reason, action, note].join('\n');
}

// An event's name must be one for DNS, which an object's own (`system:node`) need not be; and 253 bytes at most.
function eventName(name: string): string {
  const usable = /^[a-z0-9]([a-z0-9.-]{0,234}[a-z0-9])?$/.test(name) && !/[.-]{2}/.test(name);
  return `${usable ? name : 'event'}.${randomBytes(8).toString('hex')}`;
}
