/** Requests to a service while it is drilled, through its Service and at a steady rate: what its users would have seen. */
import { type Client, ClientError, type Service } from '@kurator/client';
import type { Kurator } from '../healer/kinds.ts';
import type { DrillSubject } from './drill-subject.ts';

const timeout = 2000;
/** More are not under way at once: the API server carries them all. */
const most = 100;

/** What became of them; or why nobody asked. */
export type Requests =
  | { readonly sent: number; readonly lost: number; readonly ratePerSecond: number; readonly lastLostAt?: number }
  | { readonly unmeasured: string };

export interface Traffic {
  /** Since a moment, in milliseconds. */
  since(at: number): Requests;
  stop(): void;
}

/** Nobody asks. */
function noTraffic(unmeasured: string): Traffic {
  return { since: () => ({ unmeasured }), stop: () => {} };
}

/** Begins to ask, if a first request is answered. */
export async function startTraffic(
  client: Client,
  subject: DrillSubject,
  { rate, path, signal }: { rate: number; path?: string | undefined; signal: AbortSignal },
): Promise<Traffic> {
  if (rate === 0) return noTraffic('the rate is 0');
  const url = urlOf(subject, path);
  if (!url) return noTraffic('no Service leads to it');
  const first = await ask(client, url, signal);
  if (first !== 'answered') return noTraffic(`a request through the Service failed before anything was done (${url})`);
  const attempts: { at: number; isLost: boolean }[] = [];
  let underWay = 0;
  const timer = setInterval(async () => {
    if (underWay >= most) return;
    underWay++;
    const at = Date.now();
    const became = await ask(client, url, signal);
    underWay--;
    if (became !== 'notAsked') attempts.push({ at, isLost: became === 'lost' });
  }, 1000 / rate);
  return {
    since(at) {
      const counted = attempts.filter((one) => one.at >= at);
      const lost = counted.filter(({ isLost }) => isLost);
      const lastLostAt = lost.length > 0 && Math.max(...lost.map((one) => one.at));
      return { sent: counted.length, lost: lost.length, ratePerSecond: rate, ...(lastLostAt && { lastLostAt }) };
    },
    stop: () => clearInterval(timer),
  };
}

type Became = 'answered' | 'lost' | 'notAsked';

async function ask(client: Client, url: string, signal: AbortSignal): Promise<Became> {
  try {
    await client.raw('GET', url, { timeout, retries: 0, signal });
    return 'answered';
  } catch (error) {
    if (signal.aborted || !(error instanceof ClientError)) return 'notAsked';
    // That the server itself has too much to do says nothing about the service; a page that is not there is an answer.
    if (error.status === 429 || error.code === 'KUR_CLIENT_FORBIDDEN') return 'notAsked';
    return error.status === undefined || error.status >= 500 ? 'lost' : 'answered';
  }
}

/** The API server's own way to a Service; undefined if there is none. */
export function urlOf(
  { kurator, services }: Pick<DrillSubject, 'kurator' | 'services'>,
  path?: string,
): string | undefined {
  const named = kurator.spec.targetRef?.service ?? kurator.metadata.name;
  const service = services.find(({ metadata }) => metadata.name === named) ?? services[0];
  const http = kurator.spec.checks.find((check) => check.http)?.http;
  const port = service && portOf(service, http?.port);
  if (!service || port === undefined) return undefined;
  const scheme = http?.tls ? 'https:' : '';
  const { name, namespace } = service.metadata;
  return `/api/v1/namespaces/${namespace}/services/${scheme}${name}:${port}/proxy${path ?? http?.path ?? '/'}`;
}

type HttpPort = NonNullable<Kurator['spec']['checks'][number]['http']>['port'];

/** The one that leads to where it is checked; else the first. */
function portOf({ spec }: Service, checked: HttpPort): number | undefined {
  const ports = (spec?.ports ?? []).filter(({ protocol = 'TCP' }) => protocol === 'TCP');
  const same = ports.find(({ targetPort, port, name }) => [targetPort, port, name].includes(checked));
  return ((checked !== undefined && same) || ports[0])?.port;
}
