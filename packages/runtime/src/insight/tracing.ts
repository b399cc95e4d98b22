/**
 * OpenTelemetry traces: a span for each reconcile, and in it one for each request that it makes. Only where the
 * operator has installed `@opentelemetry/api`; without it nothing is loaded, and a call costs one comparison.
 */

import { type Client, ClientError, type ObjectReference, type ResourceType } from '@kurator/client';
import type * as OpenTelemetry from '@opentelemetry/api';
import type { ControllerObserver } from '../controller/observer.ts';
import { messageOf } from '../error.ts';
import { withoutSecrets } from '../redaction.ts';

type Api = Pick<typeof OpenTelemetry, 'trace' | 'SpanStatusCode' | 'SpanKind'>;
type Attributes = Record<string, string>;

export interface Tracing {
  /** Looks for OpenTelemetry; false when it isn't installed. */
  load(): Promise<boolean>;
  /** Puts each reconcile of a controller into a span of its own. */
  observer(controller: string, kind: string): ControllerObserver;
  /** The same client, whose requests are spans; all but watches, which have no end to speak of. */
  client(client: Client): Client;
}

/** @param find How OpenTelemetry is found; from node_modules unless given. */
export function createTracing(find: () => Promise<Api> = () => import('@opentelemetry/api')): Tracing {
  let api: Api | undefined;

  function inSpan<R>(of: Api, name: string, kind: number, attributes: Attributes, act: () => R): R {
    const tracer = of.trace.getTracer('@kurator/runtime');
    return tracer.startActiveSpan(name, { kind, attributes }, (span) => ending(of, span, act));
  }

  return {
    async load() {
      api = await find().catch(() => undefined);
      return api !== undefined;
    },

    observer: (controller, kind) => ({
      onReconcileStart() {},
      onReconcileEnd() {},
      around(key, reconcile) {
        if (!api) return reconcile();
        const attributes = { 'kurator.controller': controller, 'k8s.object.kind': kind, 'kurator.object.key': key };
        return inSpan(api, `reconcile ${kind}`, api.SpanKind.INTERNAL, attributes, reconcile);
      },
    }),

    client: (client) =>
      traced(client, (name, attributes, act) =>
        api ? inSpan(api, name, api.SpanKind.CLIENT, attributes(), act) : act(),
      ),
  };
}

/** Runs an act, and ends the span when it is over: now, or when its promise settles. */
function ending<R>(api: Api, span: OpenTelemetry.Span, act: () => R): R {
  const failed = (error: unknown) => {
    span.setStatus({ code: api.SpanStatusCode.ERROR, message: withoutSecrets(messageOf(error)) });
    if (error instanceof ClientError) {
      span.setAttribute('error.type', error.code);
      if (error.status !== undefined) span.setAttribute('http.response.status_code', error.status);
    }
    span.end();
  };
  try {
    const result = act();
    if (result instanceof Promise) result.then(() => span.end(), failed);
    else span.end();
    return result;
  } catch (error) {
    failed(error);
    throw error;
  }
}

type Trace = <R>(name: string, attributes: () => Attributes, act: () => R) => R;

function traced(client: Client, trace: Trace): Client {
  const about = ({ kind }: ResourceType, { name, namespace }: Partial<ObjectReference>) => ({
    'k8s.object.kind': kind,
    ...(namespace && { 'k8s.namespace.name': namespace }),
    ...(name && { 'k8s.object.name': name }),
  });
  return {
    ...client,
    get: (type, ref, options) =>
      trace(
        `get ${type.kind}`,
        () => about(type, ref),
        () => client.get(type, ref, options),
      ),
    find: (type, ref, options) =>
      trace(
        `find ${type.kind}`,
        () => about(type, ref),
        () => client.find(type, ref, options),
      ),
    list: (type, options) =>
      trace(
        `list ${type.kind}`,
        () => about(type, options ?? {}),
        () => client.list(type, options),
      ),
    create: (type, object, options) =>
      trace(
        `create ${type.kind}`,
        () => about(type, object.metadata),
        () => client.create(type, object, options),
      ),
    replace: (type, object, options) =>
      trace(
        `replace ${type.kind}`,
        () => about(type, object.metadata),
        () => client.replace(type, object, options),
      ),
    patch: (type, ref, patch, options) =>
      trace(
        `patch ${type.kind}`,
        () => about(type, ref),
        () => client.patch(type, ref, patch, options),
      ),
    apply: (type, object, options) =>
      trace(
        `apply ${type.kind}`,
        () => about(type, object.metadata),
        () => client.apply(type, object, options),
      ),
    delete: (type, ref, options) =>
      trace(
        `delete ${type.kind}`,
        () => about(type, ref),
        () => client.delete(type, ref, options),
      ),
    deleteCollection: (type, options) =>
      trace(
        `delete all ${type.kind}`,
        () => about(type, options),
        () => client.deleteCollection(type, options),
      ),
    // A path may hold anything: the method has to do.
    raw: (method, path, options) =>
      trace(
        `raw ${method}`,
        () => ({}),
        () => client.raw(method, path, options),
      ),
  };
}
