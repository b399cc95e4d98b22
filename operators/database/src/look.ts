/** Gathers what is known of a cluster, from Kubernetes and from the brains of its instances. Changes nothing. */
import { type AuthorContext, conditionOf, Lease, PersistentVolumeClaim, Pod, Secret } from '@kurator/sdk';
import { TEMPLATE, templateOf } from './children/instance.ts';
import { BRAIN_PORT, instanceName, internalSecretOf, ownName, SWITCHOVER, serialOf } from './children/names.ts';
import { readRecord } from './instance/lease-record.ts';
import { askStatus, type InstanceReport } from './instance/peers.ts';
import type { KnownInstance, Situation } from './plan.ts';
import type { PostgresCluster } from './resources.ts';

/** A situation, and what is told of it beside. */
export interface Look {
  readonly situation: Situation;
  readonly systemId: string | undefined;
  /** What brains said of themselves, by name. */
  readonly reports: ReadonlyMap<string, InstanceReport>;
  /** Where they are asked, by name. */
  readonly brains: ReadonlyMap<string, string>;
  /** What they are shown. */
  readonly token: string;
}

export async function look(cluster: PostgresCluster, { owned, get, signal }: AuthorContext): Promise<Look> {
  const { namespace = '', annotations = {} } = cluster.metadata;
  const pods = new Map(owned(Pod).map((pod) => [pod.metadata.name, pod]));
  const claims = new Set(
    owned(PersistentVolumeClaim).flatMap(({ metadata }) => (metadata.deletionTimestamp ? [] : [metadata.name])),
  );
  const template = templateOf(cluster);
  const instances = [...new Set([...pods.keys(), ...claims])]
    .flatMap((name): KnownInstance[] => {
      const serial = serialOf(cluster, name);
      const pod = pods.get(name);
      const upToDate = pod === undefined || pod.metadata.annotations?.[TEMPLATE] === template;
      return serial ? [{ name, serial, pod: podStateOf(pod), hasClaim: claims.has(name), upToDate }] : [];
    })
    .sort((a, b) => a.serial - b.serial);
  const record = readRecord(get(Lease, { name: ownName(cluster), namespace }));
  const secret = get(Secret, { name: internalSecretOf(cluster), namespace });
  const token = Buffer.from(secret?.data?.token ?? '', 'base64').toString();
  const asked = instances.map(async ({ name }) => {
    const brain = brainOf(pods.get(name));
    const report = brain && token ? await askStatus(brain, token, signal) : undefined;
    return report ? [[name, report] as const] : [];
  });
  const reports = new Map((await Promise.all(asked)).flat());
  const systemId = cluster.status?.systemId ?? [...reports.values()].find(({ systemId }) => systemId)?.systemId;
  const wish = annotations[SWITCHOVER];
  return {
    systemId,
    reports,
    brains: new Map(
      [...pods].flatMap(([name, pod]) => {
        const brain = brainOf(pod);
        return brain ? [[name, brain] as const] : [];
      }),
    ),
    token,
    situation: {
      wanted: cluster.spec.instances,
      synchronous: cluster.spec.synchronous.number,
      instances,
      record,
      hasData: record?.served !== undefined || cluster.status?.systemId !== undefined,
      switchover: wish,
      nameOf: (serial) => instanceName(cluster, serial),
    },
  };
}

/** Where the brain in a pod is asked: an URL. */
function brainOf(pod: Pod | undefined): string | undefined {
  const address = pod?.metadata.deletionTimestamp && pod.status?.phase !== 'Running' ? undefined : pod?.status?.podIP;
  return address && `http://${address.includes(':') ? `[${address}]` : address}:${BRAIN_PORT}`;
}

function podStateOf(pod: Pod | undefined): KnownInstance['pod'] {
  if (!pod) return 'absent';
  if (pod.metadata.deletionTimestamp) return 'ending';
  if (pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded') return 'failed';
  return conditionOf(pod.status?.conditions, 'Ready')?.status === 'True' ? 'ready' : 'starting';
}
