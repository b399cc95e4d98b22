/** Asks an author's handler about one request, and makes an answer of whatever it does. */
import type { KubernetesObject } from '@kurator/client';
import type { Clock } from '../../clock.ts';
import { RuntimeError } from '../../error.ts';
import type { Logger } from '../../insight/late-logger.ts';
import type { AdmissionCall } from '../admission.ts';
import { Denial } from '../denial.ts';
import { type AdmissionResponse, allowed, denied, failed } from './admission-answer.ts';
import { within } from './deadline.ts';
import type { AdmissionHook } from './hook.ts';
import { jsonPatch, type PatchOperation } from './json-patch.ts';
import { Refusal } from './refusal.ts';
import type { AdmissionRequest } from './review.ts';

export interface AdmitContext {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Milliseconds until there must be an answer. */
  readonly time: number;
  /** Fires when nobody waits for the answer any more. */
  readonly gone: AbortSignal;
}

export async function admit(
  hook: AdmissionHook,
  request: AdmissionRequest,
  context: AdmitContext,
): Promise<AdmissionResponse> {
  if (request.kind.kind !== hook.type.kind) throw new Refusal(400, `${hook.path} is for ${hook.type.kind}`);
  const warnings: string[] = [];
  try {
    const decision = await decided(hook, request, warnings, context);
    return Array.isArray(decision.denials) && decision.denials.length > 0
      ? denied(request, decision.denials, warnings)
      : allowed(request, warnings, decision.patch);
  } catch (error) {
    if (error instanceof Denial) return denied(request, [error], warnings);
    return broken(hook, request, error, warnings, context.logger);
  }
}

interface Decision {
  readonly denials?: Denial[];
  readonly patch?: PatchOperation[];
}

async function decided(
  hook: AdmissionHook,
  request: AdmissionRequest,
  warnings: string[],
  { clock, time, gone }: AdmitContext,
): Promise<Decision> {
  const { name, namespace, subresource, user, dryRun, uid, operation, oldObject } = request;
  // A mutating handler changes what it is given: what there was before must outlive that.
  const subject = request.object ?? (oldObject as KubernetesObject);
  const object = hook.sort === 'mutate' ? structuredClone(subject) : subject;
  const answer = await within(clock, time, gone, (signal) => {
    const call: AdmissionCall<KubernetesObject> = {
      operation,
      object,
      oldObject,
      name,
      namespace,
      subresource,
      user,
      dryRun,
      uid,
      signal,
      warn: (message) => void warnings.push(message),
    };
    return hook.handler(call);
  });
  const denials = denialsIn(answer);
  if (denials) return { denials };
  if (hook.sort === 'validate') {
    if (answer === undefined || answer === null) return {};
    throw new TypeError('a validating handler must return nothing, a denial, or a list of denials');
  }
  // By way of JSON, because that is how it will be sent: a Date becomes a text, what is undefined is gone.
  const wanted: unknown = JSON.parse(JSON.stringify(answer ?? object));
  return { patch: jsonPatch(subject, wanted) };
}

function denialsIn(answer: unknown): Denial[] | undefined {
  if (answer instanceof Denial) return [answer];
  if (!Array.isArray(answer)) return undefined;
  const given = answer.filter(Boolean);
  if (given.every((item) => item instanceof Denial)) return given;
  throw new TypeError('a list that a handler returns may hold denials only');
}

/** The handler failed. Under `Fail` the user is told so; under `Ignore` the API server must see a failed call to ignore. */
function broken(
  hook: AdmissionHook,
  request: AdmissionRequest,
  error: unknown,
  warnings: readonly string[],
  logger: Logger,
): AdmissionResponse {
  const { uid, name, namespace, operation } = request;
  logger.error({ webhook: hook.name, uid, name, namespace, operation, error }, 'a webhook handler failed');
  const late = error instanceof RuntimeError && error.code === 'KUR_RUNTIME_WEBHOOK_TIMEOUT';
  const what = late ? 'it took too long to decide' : 'it failed';
  const problem = { code: late ? 504 : 500, message: `${what}; the operator's log says why, under the uid ${uid}` };
  if (hook.options.failurePolicy === 'Ignore') throw new Refusal(problem.code, problem.message);
  return failed(request, problem, warnings);
}
