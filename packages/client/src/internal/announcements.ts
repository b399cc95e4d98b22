/**
 * Every exchange with an API server is announced on two channels of node:diagnostics_channel, so that metrics, tests and
 * tracing tools see it without a wrapper that every request would pay for.
 *
 *   kurator:client:request  { request }            before it is sent, in the context of whoever asked for it
 *   kurator:client:answer   { request, status }    status: undefined if none came
 *
 * `request` is the same object in both: { origin, method, path }.
 */
import { channel } from 'node:diagnostics_channel';
import type { HttpMethod } from './http.ts';

/** A request as it is announced. */
export interface AnnouncedRequest {
  readonly origin: string;
  readonly method: HttpMethod;
  readonly path: string;
}

const requests = channel('kurator:client:request');
const answers = channel('kurator:client:answer');

/** Announces a request; what comes back announces how it ended. */
export function announce(request: AnnouncedRequest): (status: number | undefined) => void {
  if (requests.hasSubscribers) requests.publish({ request });
  return (status) => {
    if (answers.hasSubscribers) answers.publish({ request, status });
  };
}
