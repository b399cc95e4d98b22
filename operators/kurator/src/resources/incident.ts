/** The record of one fault: what was seen, what it was taken for, what was done, and who was told. */
import { type ObjectOf, preserveUnknown, resource, signedBy, z } from '@kurator/sdk';
import { group, version } from './group.ts';

const time = () => z.iso.datetime();
const sentence = () => z.string().max(2048);

const stage = z.object({ seq: z.int(), at: time(), stage: z.string(), reason: sentence(), condition: z.string() });

const action = z.object({
  id: z.string(),
  step: z.string(),
  kind: z.string(),
  targets: z.array(z.string()).max(1000).optional(),
  reason: sentence(),
  at: time(),
  approvedBy: z.string().optional().describe('Who agreed to it, where somebody had to.'),
  outcome: z.string().optional(),
  endedAt: time().optional(),
  message: sentence().optional(),
});

const told = z.object({
  at: time(),
  whom: z.string().describe('A channel, or a dependant.'),
  what: sentence(),
  outcome: z.string().optional(),
});

const evidence = z
  .object({
    takenAt: time(),
    instances: z
      .array(
        z.object({
          name: z.string(),
          uid: z.string(),
          node: z.string().optional(),
          containers: z.array(z.string()).max(32).optional().describe('State, restarts and how it last ended.'),
          logs: z.string().max(16384).optional().describe('The last lines, before anything was restarted.'),
          checks: z.array(sentence()).max(32).optional(),
        }),
      )
      .max(16),
    events: z.array(sentence()).max(32),
    nodes: z.array(sentence()).max(16),
    symptoms: z.array(sentence()).max(64),
  })
  .partial();

/** The record of one fault of one service. */
export const Incident = resource({
  group,
  version,
  kind: 'Incident',
  shortNames: ['inc'],
  description: 'The record of one fault of one service.',
  spec: signedBy(
    z.object({
      service: z.string().min(1).max(253).describe('The Kurator in this namespace.'),
      startedAt: time(),
      approve: z.string().max(253).optional().describe('The id of the proposal that is agreed to.'),
      approvedBy: z
        .string()
        .max(253)
        .optional()
        .describe('Who agrees, as `kubectl auth whoami` says; `kurator approve` writes it.'),
      resume: z.int32().min(0).max(1000).optional().describe('Raise it to give a handed over incident back.'),
    }),
    'approvedBy',
    ['approve'],
  ),
  status: z.object({
    stage: z.string(),
    cause: z.string(),
    confidence: z.string(),
    summary: sentence(),
    reasons: z.array(sentence()).max(32),
    confirmedAt: time(),
    recoveredAt: time(),
    closedAt: time(),
    duration: z.string(),
    root: z.string().describe('The Incident in which this one has its root.'),
    proposal: z.object({ id: z.string(), step: z.string(), reason: sentence() }),
    evidence,
    stages: z.array(stage).max(512),
    actions: z.array(action).max(256),
    others: z
      .array(z.object({ name: z.string(), state: z.string() }))
      .describe('How the other components did, the worst first.'),
    told: z.array(told).max(512),
    moments: z
      .array(preserveUnknown())
      .max(16)
      .describe('What it was decided from, as `kurator explain` decides again.'),
    memory: preserveUnknown().describe('The whole record, as it is replayed by `kurator explain`.'),
  }),
  columns: {
    Service: '.spec.service',
    Stage: '.status.stage',
    Cause: '.status.cause',
    Started: { path: '.spec.startedAt', type: 'date' },
    Duration: '.status.duration',
    Age: { path: '.metadata.creationTimestamp', type: 'date', priority: 1 },
    Summary: { path: '.status.summary', priority: 1 },
  },
  selectableFields: ['.spec.service'],
});
export type Incident = ObjectOf<typeof Incident>;
