/** One self-healing service: what it is, how it is checked, and what may be done for it. */
import { duration, type ObjectOf, Pod, preserveUnknown, type Reference, resource, rule, z } from '@kurator/sdk';
import { checks } from './check-fields.ts';
import { group, version } from './group.ts';
import { alerts, coordination, dependants, dependsOn, maintenance, recovery, scaling } from './recovery-fields.ts';
import { acting, referring, service, targetRef } from './workload-fields.ts';

const fields = z.object({
  service: service().optional().describe('A service to make and to keep as described.'),
  targetRef: targetRef().optional().describe('A service that is there already.'),
  checks: checks(),
  startupGrace: duration({ max: '1h' }).default('30s').describe('How long a fresh pod may fail its checks.'),
  packetLoss: z.boolean().default(true).describe('Whether lost packets are looked for in the timing of connections.'),
  dependsOn: dependsOn(),
  dependants: dependants().optional(),
  recovery: recovery().optional(),
  coordination: coordination().optional(),
  scaling: scaling().optional(),
  alerts: alerts().optional(),
  maintenance: maintenance(),
  pause: z.boolean().default(false).describe('Watches and tells, but does nothing.'),
  dryRun: z.boolean().default(false).describe('Decides and tells what would be done, but does nothing.'),
  incidentsKept: z.int32().min(1).max(1000).default(50).describe('How many closed Incidents are kept.'),
  incidentsKeptFor: duration({ max: '87600h' }).default('720h').describe('How long closed Incidents are kept.'),
});

const oneOfThem = rule(
  fields,
  'has(self.service) != has(self.targetRef)',
  'give service to have one made, or targetRef to adopt one that is there; exactly one of them',
  { check: ({ service, targetRef }) => (service === undefined) !== (targetRef === undefined) },
);
const oneWhoSetsReplicas = rule(
  oneOfThem,
  '!(has(self.scaling) && has(self.service) && has(self.service.replicas))',
  'scaling sets the replicas: leave out service.replicas, and give scaling.min',
  { check: ({ scaling, service }) => scaling === undefined || service?.replicas === undefined },
);
const portForChecks = rule(
  oneWhoSetsReplicas,
  '!has(self.service) || has(self.service.port) || has(self.service.ports) || self.checks.all(check, has(check.exec))',
  'checks over the network need a port: give service.port',
  { check: ({ service, checks }) => !service || !!(service.port ?? service.ports) || checks.every(({ exec }) => exec) },
);
// Of the whole spec, not of the check: with another target the same command runs somewhere else.
const executing: Reference = {
  to: Pod,
  subresource: 'exec',
  verbs: ['create'],
  name: '*',
  when: 'has(self.checks) && self.checks.exists(check, has(check.exec))',
  value: `[
    dyn(self.checks.filter(check, has(check.exec)).map(check, check.exec)),
    dyn(has(self.targetRef) ? [self.targetRef] : []),
  ]`.replace(/\s+/g, ' '),
};
const spec = referring(portForChecks, [executing, ...acting()]);

const health = z.enum([
  'Healthy',
  'Suspect',
  'Degraded',
  'Down',
  'Repairing',
  'HandedOver',
  'Quarantined',
  'Paused',
  'Unknown',
]);

/** One self-healing service: what it is, how it is checked, and what may be done for it. */
export const Kurator = resource({
  group,
  version,
  kind: 'Kurator',
  plural: 'kurators',
  shortNames: ['kur'],
  categories: ['all'],
  description: 'One self-healing service.',
  spec,
  status: z.object({
    health,
    ready: z.string().describe('Healthy pods of those that are wanted: 2/3.'),
    healthyInstances: z.int(),
    desiredInstances: z.int(),
    incident: z.string().describe('The Incident that is open.'),
    lastIncident: z.string().describe('The newest Incident, open or closed.'),
    lastIncidentAt: z.iso.datetime(),
    decision: z.string().describe('What is being done, and why.'),
    revision: z.string(),
    dependencies: z.record(z.string(), z.string()).describe('How what it depends on does.'),
    dependencyNotice: z.string().describe('What it was last told about what it depends on.'),
    availability: z.string().describe('Share of the time that it was up, since it is watched.'),
    mttd: z.string().describe('Mean time from a fault to its confirmation.'),
    mttr: z.string().describe('Mean time from a fault to recovery.'),
    scaling: z.string().describe('What scaling last did, or why it holds.'),
    memory: preserveUnknown().describe('What must outlive the operator. For nobody else.'),
  }),
  columns: {
    Health: '.status.health',
    Ready: '.status.ready',
    Incident: '.status.lastIncident',
    Since: { path: '.status.lastIncidentAt', type: 'date', description: 'When the last incident began.' },
    Age: { path: '.metadata.creationTimestamp', type: 'date' },
    Decision: { path: '.status.decision', priority: 1 },
    Availability: { path: '.status.availability', priority: 1 },
    MTTD: { path: '.status.mttd', priority: 1 },
    MTTR: { path: '.status.mttr', priority: 1 },
    Revision: { path: '.status.revision', priority: 1 },
  },
});
export type Kurator = ObjectOf<typeof Kurator>;
