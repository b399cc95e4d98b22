/** Where alerts go. */
import {
  duration,
  mapOf,
  type ObjectOf,
  preserveUnknown,
  reference,
  resource,
  rule,
  Secret,
  secretKeyRef,
  z,
} from '@kurator/sdk';
import { group, version } from './group.ts';

const url = z
  .string()
  .max(2048)
  .regex(/^https?:\/\//, 'must be an http or https URL');

/** A place that may itself be a secret, as a Slack webhook's URL is. */
const place = { url: url.optional(), urlFrom: secretKeyRef().optional() };
const onePlace = <S extends z.ZodType>(schema: S) =>
  rule(schema, 'has(self.url) != has(self.urlFrom)', 'give url, or urlFrom a Secret; exactly one of them');

/** Who changes where a Secret goes must be allowed to read it: he could have it sent to himself. */
function sentTo<S extends z.ZodType>(schema: S, from: string, place: readonly string[]): S {
  const parts = [from, ...place].map((field) => `dyn(has(self.${field}) ? [self.${field}] : [])`);
  const value = `[${parts.join(', ')}]`;
  return reference(schema, {
    to: Secret,
    verbs: ['get'],
    name: `self.${from}.name`,
    when: `has(self.${from})`,
    value,
  });
}

const webhookFields = onePlace(
  z.object({
    ...place,
    headers: mapOf(z.string().min(1).max(256), z.string().max(4096), { max: 32 }).optional(),
    bearerTokenFrom: secretKeyRef().optional(),
    signingKeyFrom: secretKeyRef().optional().describe('Signs the body: X-Kurator-Signature: sha256=…'),
    template: z
      .string()
      .max(65536)
      .optional()
      .describe('The body, with {{fields}} of the alert; JSON of the alert unless given.'),
  }),
);
const webhookPlace = ['url', 'urlFrom'];
const webhook = sentTo(sentTo(webhookFields, 'bearerTokenFrom', webhookPlace), 'signingKeyFrom', webhookPlace);
const slack = onePlace(z.object({ ...place, channel: z.string().max(253).optional() }));
const alertmanager = sentTo(
  z.object({
    url,
    bearerTokenFrom: secretKeyRef().optional(),
    labels: mapOf(z.string().min(1).max(128), z.string().max(512), { max: 32 }).optional(),
  }),
  'bearerTokenFrom',
  ['url'],
);
const pagerDuty = sentTo(
  z.object({
    routingKeyFrom: secretKeyRef(),
    url: url.default('https://events.pagerduty.com/v2/enqueue'),
  }),
  'routingKeyFrom',
  ['url'],
);
const smtp = sentTo(
  z.object({
    host: z.string().min(1).max(253),
    port: z.int32().min(1).max(65535).default(587),
    from: z.string().min(3).max(320),
    to: z.array(z.string().min(3).max(320)).min(1).max(32),
    tls: z.enum(['starttls', 'implicit', 'none']).default('starttls'),
    username: z.string().max(320).optional(),
    passwordFrom: secretKeyRef().optional(),
  }),
  'passwordFrom',
  ['host', 'port', 'tls'],
);

const kinds = ['webhook', 'slack', 'alertmanager', 'pagerDuty', 'smtp', 'events', 'stdout'] as const;

/** Where alerts go. Secrets are only ever named here. */
export const AlertChannel = resource({
  group,
  version,
  kind: 'AlertChannel',
  shortNames: ['channel'],
  description: 'Where alerts go. Secrets are only ever named here.',
  spec: rule(
    z.object({
      webhook: webhook.optional(),
      slack: slack.optional(),
      alertmanager: alertmanager.optional(),
      pagerDuty: pagerDuty.optional(),
      smtp: smtp.optional(),
      events: z.object({}).optional().describe('Kubernetes Events on the Kurator.'),
      stdout: z.object({}).optional().describe("Lines in the operator's own log."),
      minSeverity: z.enum(['info', 'warning', 'page']).default('info'),
      default: z.boolean().default(false).describe('Also for Kurators of this namespace that name no channel.'),
      timeout: duration({ min: '100ms', max: '1m' }).default('10s'),
      retryFor: duration({ min: '1m', max: '168h' })
        .default('24h')
        .describe('How long an alert waits for its sink to come back.'),
      ratePerMinute: z.int32().min(1).max(600).default(60),
    }),
    `[${kinds.map((kind) => `has(self.${kind})`).join(', ')}].filter(given, given).size() == 1`,
    `give exactly one of ${kinds.join(', ')}`,
    { check: (value) => kinds.filter((kind) => value[kind] !== undefined).length === 1 },
  ),
  status: z.object({
    pending: z.int().describe('Alerts that wait to be sent.'),
    delivered: z.int(),
    lastDeliveredAt: z.iso.datetime(),
    lastError: z.string().max(1024),
    memory: preserveUnknown().describe('Alerts that wait, and those that were seen. For nobody else.'),
  }),
  columns: {
    Pending: '.status.pending',
    Delivered: '.status.delivered',
    Error: '.status.lastError',
    Age: { path: '.metadata.creationTimestamp', type: 'date' },
  },
});
export type AlertChannel = ObjectOf<typeof AlertChannel>;

/** Which of the kinds of sinks it is. */
export function sinkKind(spec: AlertChannel['spec']): string {
  return kinds.find((kind) => spec[kind] !== undefined) ?? '';
}
