/** All services together, as each thought has to know them: who is how, what it costs, and whether there is a storm. */
import { type ServiceSummary, summarise } from '../brain/cluster/summary.ts';
import { type ClusterHistory, type ClusterView, survey, withOneMore } from '../brain/cluster/survey.ts';
import type { Evidence } from '../brain/evidence/evidence.ts';
import type { History } from '../brain/incident/history.ts';
import type { ClusterSpec } from '../brain/spec.ts';
import type { Millis } from '../brain/time.ts';

/** A survey of thousands of services is not made anew for each thought; repairs that begin meanwhile are counted on. */
const surveyEvery = 250;

/** Keeps the summaries of all services. */
export class Weather {
  readonly #spec: ClusterSpec;
  readonly #summaries = new Map<string, ServiceSummary>();
  #history: ClusterHistory = {};
  #view: ClusterView | undefined;
  #viewedAt = 0;

  constructor(spec: ClusterSpec) {
    this.#spec = spec;
  }

  has(name: string): boolean {
    return this.#summaries.has(name);
  }

  get(name: string): ServiceSummary | undefined {
    return this.#summaries.get(name);
  }

  all(): Iterable<ServiceSummary> {
    return this.#summaries.values();
  }

  /** Since when there has been a storm, if there is one. */
  get stormSince(): Millis | undefined {
    return this.#history.stormSince;
  }

  /** Takes note of a service; says whether it looks different to those that depend on it. */
  note(name: string, history: History, evidence: Evidence | undefined): boolean {
    const before = this.#summaries.get(name)?.asDependency;
    const summary = summarise(name, history, evidence);
    this.#summaries.set(name, summary);
    const { state, incident, recoveredAt } = summary.asDependency;
    return before?.state !== state || before.incident !== incident || before.recoveredAt !== recoveredAt;
  }

  delete(name: string): void {
    this.#summaries.delete(name);
  }

  /** What one service has to know about all, now. */
  view(now: Millis): ClusterView {
    if (this.#view && now - this.#viewedAt < surveyEvery && now >= this.#viewedAt) return this.#view;
    const { view, history } = survey(this.#spec, [...this.#summaries.values()], this.#history, now);
    this.#history = history;
    this.#view = view;
    this.#viewedAt = now;
    return view;
  }

  /** A repair begins: whoever thinks next has to know. */
  began(now: Millis): void {
    this.#view = withOneMore(this.view(now), now);
  }
}
