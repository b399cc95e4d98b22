/** Asks by HTTP/1.1 over a new plain or TLS connection, and judges the answer. */
import type { HttpProbe } from '../check.ts';
import { must } from '../check.ts';
import type { ErrorKind } from '../error-kind.ts';
import { Connection, type ConnectionUser } from './connection.ts';
import { type Endpoint, endpointOf, nameOfAuthority } from './endpoint.ts';
import { type ExpectationPlan, expectationPlanOf, judge } from './http-expectation.ts';
import { type RequestPlan, requestPlanOf, requestText } from './http-request.ts';
import { type BodyWish, type Progress, ResponseReader, redirectedPath } from './http-response.ts';
import { type Details, type Finding, findingOf, type ProbeRun, type StartProbe } from './probe-run.ts';
import { type TlsPlan, tlsPlanOf } from './tls-plan.ts';

interface HttpPlan {
  readonly endpoint: Endpoint;
  readonly tls: TlsPlan | undefined;
  readonly request: RequestPlan;
  readonly expectation: ExpectationPlan;
  readonly body: BodyWish;
  readonly redirects: number;
}

class HttpRun implements ProbeRun, ConnectionUser {
  readonly #plan: HttpPlan;
  readonly #report: (finding: Finding) => void;
  #path: string;
  #redirectsLeft: number;
  #connection: Connection;
  #response: ResponseReader;
  /** Of the first connection: a redirect opens another, and the first is the one that was measured. */
  #first: Details | undefined;

  constructor(plan: HttpPlan, report: (finding: Finding) => void) {
    this.#plan = plan;
    this.#report = report;
    this.#path = plan.request.path;
    this.#redirectsLeft = plan.redirects;
    this.#response = new ResponseReader(plan.body);
    this.#connection = new Connection(plan.endpoint, plan.tls, this);
  }

  opened(): void {
    this.#connection.send(requestText(this.#plan.request, this.#path));
  }

  received(text: string): void {
    this.#advance(this.#response.push(text));
  }

  ended(): void {
    this.#advance(this.#response.end());
  }

  failed(kind: ErrorKind, message: string): void {
    this.#finish(kind, message);
  }

  expire(): void {
    const before = this.#connection.expiredKind;
    if (before) this.#finish(before, '');
    else if (this.#response.begun)
      this.#finish('body-timeout', `status ${this.#response.status}, and no end of the body`);
    else this.#finish('response-timeout', '');
  }

  abandon(): void {
    this.#connection.close();
  }

  #advance(progress: Progress): void {
    if (progress === 'more') return;
    const { problem } = this.#response;
    if (problem) {
      this.#finish(problem.kind, problem.message);
      return;
    }
    const path = this.#plan.redirects > 0 ? redirectedPath(this.#response, this.#here()) : undefined;
    if (path !== undefined) {
      this.#follow(path);
      return;
    }
    const verdict = judge(this.#response, this.#plan.expectation);
    this.#finish(verdict?.kind, verdict?.message ?? '');
  }

  #here(): URL {
    const { request, tls } = this.#plan;
    return new URL(this.#path, `${tls ? 'https' : 'http'}://${request.authority}`);
  }

  #follow(path: string): void {
    if (this.#redirectsLeft === 0) {
      this.#finish('redirects', `more than ${this.#plan.redirects} redirects, the last to ${path}`);
      return;
    }
    this.#redirectsLeft--;
    this.#path = path;
    this.#first ??= this.#connection.details;
    this.#connection.close();
    this.#response = new ResponseReader(this.#plan.body);
    this.#connection = new Connection(this.#plan.endpoint, this.#plan.tls, this);
  }

  #finish(kind: ErrorKind | undefined, message: string): void {
    const { status } = this.#response;
    const details = { ...(this.#first ?? this.#connection.details), ...(status > 0 && { statusCode: status }) };
    // With the answer read whole this is a goodbye that no server minds; else the kernel makes it a reset.
    this.#connection.close();
    this.#report(kind ? findingOf(kind, message, details) : { outcome: 'healthy', message: '', ...details });
  }
}

/** Throws `InvalidCheck` where the probe can't be run. */
export function prepareHttp(probe: HttpProbe): StartProbe {
  const endpoint = endpointOf(probe);
  const request = requestPlanOf(probe, endpoint);
  const expectation = expectationPlanOf(probe.expect);
  const redirects = probe.redirects ?? 0;
  must(Number.isInteger(redirects) && redirects >= 0 && redirects <= 10, `redirects must be 0 to 10, not ${redirects}`);
  const plan: HttpPlan = {
    endpoint,
    request,
    expectation,
    redirects,
    tls: probe.tls && tlsPlanOf(probe.tls, nameOfAuthority(request.authority), 'http/1.1'),
    body: { bytes: expectation.bodyBytes, keep: expectation.needsBody, none: request.method === 'HEAD' },
  };
  return (report) => new HttpRun(plan, report);
}
