/** Objects of the healer as a cluster may hold them, for tests of how they are shown. */
import type { Incident, Kurator } from '../../src/healer/kinds.ts';

export const now = Date.parse('2026-03-01T12:10:00Z');
const began = Date.parse('2026-03-01T12:00:00Z');
const at = (seconds: number) => new Date(began + seconds * 1000).toISOString();
const millis = (seconds: number) => began + seconds * 1000;

const action = {
  id: 'shop/web#3/1/replace/1',
  kind: 'evict',
  targets: [{ name: 'web-6f7-x2x', uid: 'u2' }],
  expect: { generation: 4, revision: '6f7' },
  reason: 'replaces web-6f7-x2x, which hangs',
  intendedAt: millis(31),
  outcome: { result: 'done', at: millis(32) },
};

/** The brain's own record of it. */
const memory = {
  id: 'shop/web#3',
  stage: 'recovered',
  stageSince: millis(58),
  startedAt: millis(0),
  confirmedAt: millis(30),
  recoveredAt: millis(58),
  transitions: [
    { seq: 1, at: millis(10), to: 'suspected', reason: 'health of web-6f7-x2x failed once', condition: 'degraded' },
    {
      seq: 2,
      at: millis(30),
      from: 'suspected',
      to: 'confirmed',
      reason: 'health of web-6f7-x2x fails',
      condition: 'degraded',
    },
    { seq: 3, at: millis(31), from: 'confirmed', to: 'repairing', reason: action.reason, condition: 'degraded' },
    { seq: 4, at: millis(32), from: 'repairing', to: 'verifying', reason: 'it is done', condition: 'degraded' },
    { seq: 5, at: millis(58), from: 'verifying', to: 'recovered', reason: 'it is well again', condition: 'up' },
  ],
  diagnosis: { cause: 'hang', confidence: 'certain', affected: ['u2'], reasons: [], extent: 'instance' },
  attempts: [
    {
      step: 'replace',
      startedAt: millis(31),
      deadline: millis(211),
      actions: [action],
      present: ['u1', 'u2'],
      endedAt: millis(58),
      result: 'succeeded',
    },
  ],
  countsFrom: 0,
  relapses: 0,
  notices: [{ id: 'n1', to: 'shop/front', phase: 'before', at: millis(31), awaited: false, reason: 'web is repaired' }],
  givenUp: [],
  resumed: 0,
  impact: { condition: 'up', since: millis(58), downMs: 0, degradedMs: 58_000 },
  reported: 5,
  notifiedAt: [millis(30)],
  paged: false,
};

/** A hang that was repaired; whoever wrote the logs means no good. */
export const hang = {
  apiVersion: 'kurator.sh/v1alpha1',
  kind: 'Incident',
  metadata: { name: 'web-3', namespace: 'shop', uid: 'i3' },
  spec: { service: 'web', startedAt: at(0) },
  status: {
    stage: 'closed',
    cause: 'hang',
    confidence: 'certain',
    summary: 'it is well again',
    reasons: ['it hangs: the port is open, nothing answers', 'web-6f7-x2x: 3 response-timeouts in a row'],
    confirmedAt: at(30),
    recoveredAt: at(58),
    closedAt: at(358),
    duration: '58s',
    evidence: {
      takenAt: at(30),
      instances: [
        {
          name: 'web-6f7-x2x',
          uid: 'u2',
          node: 'n2',
          containers: ['main: running since 2026-03-01T08:00:00Z, ready, 0 restarts'],
          logs: `${Array.from({ length: 12 }, (_, index) => `line ${index + 1}`).join('\n')}\n\x1b[2J\x1b]0;owned\x07bye\n`,
          checks: [
            'health at 2026-03-01T12:00:30Z: failing (response-timeout: nothing came), connected in 1 ms, 2000 ms in all',
          ],
        },
      ],
      events: ['2026-03-01T12:00:20Z Warning web-6f7-x2x Unhealthy: Readiness probe failed:\nno answer'],
      nodes: ['n2: Ready true since 2026-02-01T00:00:00Z'],
      symptoms: ['hang: health of web-6f7-x2x does not answer'],
    },
    stages: [],
    actions: [{ id: action.id, step: 'replace', kind: 'evict', reason: action.reason, at: at(31), outcome: 'done' }],
    others: [
      { name: 'shop/database', state: 'healthy' },
      { name: 'shop/front', state: 'healthy' },
    ],
    told: [
      { at: at(30), whom: 'channel on-call', what: 'shop/web is not well: it hangs' },
      { at: at(31), whom: 'dependant shop/front', what: 'before the repair: web is repaired', outcome: 'ready' },
    ],
    memory,
  },
} as unknown as Incident;

/** One that waits for a person. */
export const proposed = {
  ...hang,
  metadata: { name: 'api-1', namespace: 'shop', uid: 'i4' },
  spec: { service: 'api', startedAt: at(540) },
  status: {
    stage: 'proposed',
    cause: 'bad-revision',
    confidence: 'likely',
    summary: 'would rollback now; on-call must agree first',
    reasons: ['the new revision is bad', 'revision 9c1 was never seen healthy'],
    confirmedAt: at(541),
    proposal: {
      id: 'shop/api#1/1/rollback',
      step: 'rollback',
      reason: 'would rollback now; on-call must agree first',
    },
    stages: [
      { seq: 1, at: at(540), stage: 'suspected', reason: 'api-9c1-abc crashed', condition: 'degraded' },
      { seq: 2, at: at(541), stage: 'proposed', reason: 'on-call must agree first', condition: 'down' },
    ],
  },
} as unknown as Incident;

const fresh = { closed: [], repairs: [], revisions: { healthy: [], bad: [], left: [] }, warned: {} };

export const web = {
  apiVersion: 'kurator.sh/v1alpha1',
  kind: 'Kurator',
  metadata: { name: 'web', namespace: 'shop', uid: 'k1', creationTimestamp: '2026-02-20T12:00:00Z' },
  spec: {
    targetRef: { kind: 'Deployment', name: 'web' },
    checks: [
      {
        name: 'health',
        http: { path: '/healthz' },
        through: 'instance',
        period: '10s',
        timeout: '2s',
        failAfter: 3,
        recoverAfter: 2,
      },
    ],
    dependsOn: ['database'],
    recovery: { steps: { rollback: { approval: true }, scale: { enabled: false } } },
    maintenance: [{ cron: '0 3 * * 0', duration: '2h', timeZone: 'UTC' }],
    pause: false,
    dryRun: false,
  },
  status: {
    health: 'Healthy',
    ready: '3/3',
    lastIncident: 'web-3',
    lastIncidentAt: at(0),
    decision: 'idle: nothing is wrong',
    revision: '6f7',
    dependencies: { 'shop/database': 'healthy' },
    availability: '99.998 %',
    mttd: '4.2s',
    mttr: '58s',
    conditions: [{ type: 'Ready', status: 'True', reason: 'Healthy', lastTransitionTime: at(58) }],
    memory: {
      history: {
        ...fresh,
        since: millis(-3600),
        incidents: 3,
        closed: [
          {
            id: 'shop/web#3',
            startedAt: millis(0),
            confirmedAt: millis(30),
            recoveredAt: millis(58),
            closedAt: millis(358),
            cause: 'hang',
            repairs: 1,
            downMs: 0,
            degradedMs: 58_000,
            end: 'recovered',
          },
        ],
      },
    },
  },
} as unknown as Kurator;

export const api = {
  ...web,
  metadata: { name: 'api', namespace: 'shop', uid: 'k2', creationTimestamp: '2026-03-01T11:59:30Z' },
  spec: {
    ...web.spec,
    service: { kind: 'Deployment', image: 'api:2' },
    targetRef: undefined,
    dependsOn: [],
    pause: true,
  },
  status: {
    health: 'Paused',
    ready: '0/2',
    incident: 'api-1',
    lastIncident: 'api-1',
    lastIncidentAt: at(540),
    decision: 'hold: \x1b[31mit is paused',
    conditions: [
      { type: 'Ready', status: 'False', reason: 'Down', message: 'it is paused', lastTransitionTime: at(540) },
    ],
    memory: { history: { ...fresh, since: millis(-1800), incidents: 1 } },
  },
} as unknown as Kurator;
