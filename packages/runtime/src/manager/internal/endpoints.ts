/** What a manager answers over HTTP. */

import type { CheckReport } from '../../insight/check.ts';
import { debugPage, pagePolicy } from '../../insight/debug-page.ts';
import { type DebugSources, debugState } from '../../insight/debug-state.ts';
import type { Metrics } from '../../insight/metrics.ts';
import { type Answer, json, type Question, type Route, text } from './http-server.ts';

/** Who may see the debug page: `local` those on the machine (`kubectl port-forward`), `anyone`, or nobody (`off`). */
export type DebugAccess = 'local' | 'anyone' | 'off';

/**
 * Who may read the metrics. `anyone` who reaches the port; `authorized`: those whose token the API server knows, and who may get the
 * non-resource URL /metrics.
 */
export type MetricsAccess = 'anyone' | 'authorized';

export interface EndpointOptions {
  readonly debug: DebugAccess;
  readonly access: MetricsAccess;
  readonly metrics: Metrics;
  readonly sources: DebugSources;
}

export function endpoints({ debug, access, metrics, sources }: EndpointOptions): Record<string, Route> {
  return {
    '/healthz': async () => reported(await sources.health()),
    '/livez': async () => reported(await sources.health()),
    '/readyz': async () => reported(await sources.readiness()),
    ...(access === 'anyone' ? { '/metrics': metricsRoute(metrics) } : {}),
    ...(debug === 'off' ? {} : { '/debug': (question) => debugAnswer(question, debug, sources) }),
  };
}

export function metricsRoute(metrics: Metrics): Route {
  return async () => ({ status: 200, ...(await metrics.text()) });
}

function reported({ ok, checks }: CheckReport): Answer {
  return json(ok ? 200 : 503, { status: ok ? 'ok' : 'failing', checks });
}

async function debugAnswer(
  { local, query, headers }: Question,
  debug: DebugAccess,
  sources: DebugSources,
): Promise<Answer> {
  if (debug === 'local' && !local) {
    return text(403, "only from this machine: use kubectl port-forward, or set the manager's http.debug to 'anyone'");
  }
  const state = await debugState(sources);
  const wantsPage = query.get('format') !== 'json' && headers.accept?.includes('text/html');
  if (!wantsPage) return json(200, state);
  const contentType = 'text/html; charset=utf-8';
  return { status: 200, contentType, body: debugPage(state), headers: { 'content-security-policy': pagePolicy } };
}
