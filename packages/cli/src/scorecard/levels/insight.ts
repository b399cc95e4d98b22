/** Level 4, Deep Insights: people and machines can see how it does, and are told when it does badly. */
import { type Client, hasCode, type KubernetesObject, type Pod } from '@kurator/client';
import { Event } from '@kurator/client/events/v1';
import { METRICS_PORT } from '../../manifests/description.ts';
import type { Check, LevelChecks } from '../check.ts';
import { namedIn } from '../metrics.ts';
import { met, type Outcome, unmet, untested } from '../outcome.ts';
import type { ShippedFile } from '../subject.ts';

/** That it works at all, by the names that controllers commonly give it. */
const ofWork = /(reconcil|workqueue).*(total|count)$/;

export const insight: LevelChecks = {
  level: 4,
  checks: [
    {
      id: 'insight-metrics',
      title: 'it tells Prometheus what it does',
      async run({ metrics, pods }) {
        const found = await metrics();
        if (found.size === 0 && (await pods()).some(isReserved))
          return untested('only some may read its metrics, and through the API server no token reaches it');
        if (found.size === 0) return unmet('none of its pods answers /metrics', 'serve metrics on a port called http');
        return judgedMetrics(found);
      },
    },
    {
      id: 'insight-scraped',
      title: 'Prometheus is told where to find it',
      async run({ client, ref, signal }) {
        const monitors = await monitorsIn(client, ref.namespace, signal);
        if (!monitors)
          return untested('this cluster does not know ServiceMonitors: the Prometheus operator is not there');
        const name = monitors[0]?.metadata.name;
        return name ? met(`by ${name}`) : unmet('by nobody', 'add one: kurator deploy --service-monitor');
      },
    },
    shippedCheck({
      id: 'insight-alerts',
      title: 'it ships alert rules about itself',
      isOne: ({ text }) => /["']?alert["']?:\s*["']?[A-Za-z]/.test(text) && /["']?expr["']?:/.test(text),
      what: 'alert rules',
      remedy: 'ship a PrometheusRule in deploy/, or name its folder with --monitoring',
    }),
    shippedCheck({
      id: 'insight-dashboard',
      title: 'it ships a dashboard about itself',
      isOne: ({ text }) => /["']panels["']:/.test(text),
      what: 'dashboards',
      remedy: 'ship a Grafana dashboard in deploy/, or name its folder with --monitoring',
    }),
    {
      id: 'insight-events',
      title: 'it tells what happens to its objects as Events',
      async run({ client, kinds, signal }) {
        const own = new Set(kinds.map(({ crd }) => `${crd.spec.group}/${crd.spec.names.kind}`));
        const { items } = await client.list(Event, { signal });
        const told = items.filter(({ regarding }) =>
          own.has(`${regarding?.apiVersion?.split('/')[0]}/${regarding?.kind}`),
        );
        const [first] = told;
        if (first) return met(`${told.length} Events, such as ${first.reason} of ${first.regarding?.name}`);
        return untested('no Event is about an object of its CRDs; they are kept for an hour');
      },
    },
    {
      id: 'insight-logs',
      title: 'its logs can be searched by machines',
      async run({ client, pods, signal }) {
        const [pod] = await pods();
        if (!pod) return untested('it has no pod');
        const { name, namespace } = pod.metadata;
        const log = await client.logs({ name, namespace }, { tailLines: 50, signal });
        return judgedLog(log);
      },
    },
  ],
};

/** Whether its metrics are served to those alone who show a token. */
function isReserved({ spec }: Pod): boolean {
  const ports = spec?.containers.flatMap((container) => container.ports ?? []) ?? [];
  return ports.some(({ name, containerPort }) => name === 'metrics' && containerPort === METRICS_PORT);
}

/** Pure, and exported for its tests. */
export function judgedMetrics(found: ReadonlyMap<string, number>): Outcome {
  const work = [...found].filter(([name]) => ofWork.test(name));
  const [name, value] = work.find(([, count]) => count > 0) ?? [];
  if (name) return met(`${found.size} metrics, such as ${name} ${value}`);
  if (work.length === 0) return unmet(`${found.size} metrics, and none counts what it reconciles`, 'count that');
  return untested(`${found.size} metrics; by ${work[0]?.[0]} it had nothing to do yet`);
}

/** Pure, and exported for its tests. */
export function judgedLog(log: string): Outcome {
  const lines = log.split('\n').filter(Boolean);
  if (lines.length === 0) return untested('it has logged nothing');
  const structured = lines.filter(isJson).length;
  const told = `${structured} of the last ${lines.length} lines are JSON`;
  return structured * 10 >= lines.length * 9 ? met(told) : unmet(told, 'log a JSON object a line');
}

interface Shipped extends Pick<Check, 'id' | 'title'> {
  isOne(file: ShippedFile): boolean;
  readonly what: string;
  readonly remedy: string;
}

/** Rules and dashboards count if they ask for a metric that is there. */
function shippedCheck({ id, title, isOne, what, remedy }: Shipped): Check {
  return {
    id,
    title,
    async run({ subject, metrics }) {
      const files = subject.shipped.filter(isOne);
      if (files.length === 0) return unmet(`there are no ${what}`, remedy);
      const names = [...(await metrics()).keys()];
      if (names.length === 0) return untested(`there are ${what}, and no metrics to hold against them`);
      const used = new Set(files.flatMap(({ text }) => namedIn(text, names)));
      if (used.size === 0)
        return unmet(`there are ${what}, and they ask for none of its ${names.length} metrics`, remedy);
      return met(`${files.length} files with ${what}, which ask for ${used.size} of its metrics`);
    },
  };
}

/** Undefined where the cluster doesn't know the kind. */
async function monitorsIn(
  client: Client,
  namespace: string,
  signal: AbortSignal,
): Promise<KubernetesObject[] | undefined> {
  try {
    const type = await client.discover('monitoring.coreos.com/v1', 'ServiceMonitor', { signal });
    return (await client.list(type, { namespace, metadataOnly: true, signal })).items;
  } catch (error) {
    if (hasCode(error, 'KUR_CLIENT_UNKNOWN_KIND') || hasCode(error, 'KUR_CLIENT_NOT_FOUND')) return undefined;
    throw error;
  }
}

function isJson(line: string): boolean {
  try {
    return typeof JSON.parse(line) === 'object';
  } catch {
    return false;
  }
}
