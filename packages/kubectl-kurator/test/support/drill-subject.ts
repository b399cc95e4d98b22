/** Services as a drill finds them, for tests of what it makes of them. */
import type { Pod } from '@kurator/client';
import type { DrillSubject } from '../../src/drill/drill-subject.ts';

/** What is not as it should be. */
export interface SubjectFields {
  namespaceLabels?: Record<string, string>;
  annotations?: Record<string, string>;
  spec?: object;
  status?: object;
  /** The stage of an incident that is open. */
  openIncident?: string;
  hasWorkload?: boolean;
  isWorkloadPaused?: boolean;
  updatedReplicas?: number;
  pods?: readonly Pod[];
}

/** Three instances, all well, in a namespace that allows drills. */
export function subjectWith(fields: SubjectFields = {}): DrillSubject {
  const { namespaceLabels = { 'kurator.sh/drill': 'allowed' }, annotations = {}, hasWorkload = true } = fields;
  const status = { health: 'Healthy', healthyInstances: 3, desiredInstances: 3, ...fields.status };
  const replicas = status.desiredInstances;
  const spec = {
    targetRef: { kind: 'Deployment', name: 'web' },
    checks: [{ name: 'health', http: { path: '/healthz' } }],
    dependsOn: ['database', 'store/queue'],
    startupGrace: '30s',
    pause: false,
    dryRun: false,
    ...fields.spec,
  };
  const workload = {
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop', generation: 4 },
    spec: { replicas, ...(fields.isWorkloadPaused && { paused: true }) },
    status: { observedGeneration: 4, replicas, updatedReplicas: fields.updatedReplicas ?? replicas },
  };
  const incident = {
    metadata: { name: 'web-1', namespace: 'shop' },
    spec: { service: 'web' },
    status: { stage: fields.openIncident },
  };
  return {
    kurator: { metadata: { name: 'web', namespace: 'shop', annotations }, spec, status },
    namespace: { metadata: { name: 'shop', labels: namespaceLabels } },
    workload: hasWorkload ? workload : undefined,
    pods: fields.pods ?? [podOf('web-a'), podOf('web-b'), podOf('web-c')],
    incidents: fields.openIncident ? [incident] : [],
    services: [],
  } as unknown as DrillSubject;
}

/** An instance. */
export function podOf(name: string, fields: { startedAt?: string; isReady?: boolean; restarts?: number } = {}): Pod {
  const { startedAt = '2026-03-01T11:00:00Z', isReady = true, restarts = 0 } = fields;
  return {
    metadata: { name, namespace: 'shop', uid: name, creationTimestamp: '2026-03-01T10:59:00Z' },
    status: {
      conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
      containerStatuses: [{ name: 'main', restartCount: restarts, state: { running: { startedAt } } }],
    },
  } as unknown as Pod;
}
