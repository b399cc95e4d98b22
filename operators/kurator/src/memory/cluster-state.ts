/** All services together, as each thought has to know them: who is how, what it costs, and whether there is a storm. */
import { type ServiceSummary, summarise } from '../brain/cluster/summary.ts';
import { type ClusterView, type Survey, survey, viewFor, withOneMore } from '../brain/cluster/survey.ts';
import type { Evidence } from '../brain/evidence/evidence.ts';
import type { History } from '../brain/incident/history.ts';
import type { ClusterSpec } from '../brain/spec.ts';
import type { Millis } from '../brain/time.ts';

/** A survey of thousands of services is not made anew for each thought; repairs that begin meanwhile are counted on. */
const surveyEvery = 250;

/** Keeps the summaries of all services. */
export class ClusterState {
  readonly #spec: ClusterSpec;
  readonly #summaries = new Map<string, ServiceSummary>();
  #survey: Survey | undefined;
  #surveyedAt = 0;

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
    return this.#survey?.history.stormSince;
  }

  /** Takes note of a service; says whether it looks different to those that depend on it. */
  note(name: string, history: History, evidence: Evidence | undefined): boolean {
    const before = this.#summaries.get(name)?.asDependency;
    const summary = summarise(name, history, evidence);
    this.#summaries.set(name, summary);
    const { state, incident, recoveredAt, isAttended } = summary.asDependency;
    const isSame = before?.incident === incident && before?.recoveredAt === recoveredAt;
    return before?.state !== state || !isSame || before?.isAttended !== isAttended;
  }

  delete(name: string): void {
    this.#summaries.delete(name);
  }

  /** What one service has to know about all, now. */
  view(name: string, now: Millis): ClusterView {
    return viewFor(this.#surveyed(now), name);
  }

  /** A repair of this service begins: whoever thinks next has to know. */
  began(name: string, now: Millis): void {
    this.#survey = withOneMore(this.#surveyed(now), name, now);
  }

  #surveyed(now: Millis): Survey {
    const isFresh = now - this.#surveyedAt < surveyEvery && now >= this.#surveyedAt;
    if (this.#survey && isFresh) return this.#survey;
    this.#survey = survey(this.#spec, [...this.#summaries.values()], this.#survey?.history ?? {}, now);
    this.#surveyedAt = now;
    return this.#survey;
  }
}
