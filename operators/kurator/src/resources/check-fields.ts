/** How a service is asked whether it is well. */
import { duration, intOrString, listMap, mapOf, rule, secretKeyRef, z } from '@kurator/sdk';

const port = () => intOrString().describe('A number, or the name of one of the ports. The first port unless given.');
const headers = () => mapOf(z.string().min(1).max(256), z.string().max(4096), { max: 32 });
const statusRange = z
  .string()
  .max(7)
  .regex(/^[1-5]\d\d(-[1-5]\d\d)?$/, 'must be a status such as 200, or a range such as 200-399');

const tls = () =>
  z
    .object({
      serverName: z.string().max(253).describe('The name to verify, where it is not the address.'),
      caFrom: secretKeyRef().describe('Certificate authorities in PEM, instead of the well-known ones.'),
      skipVerify: z.boolean().describe('Accepts any certificate; its expiry is still reported.'),
    })
    .partial();

const tcp = z.object({ port: port() }).partial().describe('Healthy when a connection opens.');

const http = z
  .object({
    port: port().optional(),
    path: z.string().max(2048).startsWith('/', 'must begin with a slash').default('/'),
    method: z.enum(['GET', 'HEAD', 'POST', 'OPTIONS']).default('GET'),
    host: z.string().max(253).optional().describe('The Host header; address and port unless given.'),
    headers: headers().optional(),
    tls: tls().optional().describe('Speaks HTTPS where given.'),
    redirects: z.int32().min(0).max(10).default(0).describe('How many to follow, to the same host only.'),
    statuses: z.array(statusRange).min(1).max(16).default(['200-399']),
    responseHeaders: headers().optional().describe('Headers that the answer must have, with a text in them.'),
    bodyContains: z.string().min(1).max(1024).optional(),
    bodyMatches: z.string().min(1).max(1024).optional().describe('A regular expression.'),
  })
  .describe('Healthy when the answer is as expected.');

const grpc = z
  .object({ port: port(), service: z.string().max(253), tls: tls() })
  .partial()
  .describe('The standard health service of gRPC.');

const exec = z
  .object({
    command: z.array(z.string().max(4096)).min(1).max(64).describe('Program and arguments; no shell in between.'),
    container: z.string().max(63).optional().describe('The first container unless given.'),
  })
  .describe('Healthy when the command ends with 0 in the container.');

const kinds = ['tcp', 'http', 'grpc', 'exec'] as const;

const check = rule(
  rule(
    rule(
      z.object({
        name: z
          .string()
          .min(1)
          .max(63)
          .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'must be lower case letters, digits and dashes')
          .default('health'),
        tcp: tcp.optional(),
        http: http.optional(),
        grpc: grpc.optional(),
        exec: exec.optional(),
        through: z
          .enum(['instance', 'service'])
          .default('instance')
          .describe('Whom it asks: each pod for itself, or whoever answers for the Service.'),
        period: duration({ min: '1s', max: '1h' }).default('10s').describe('How often it runs when nothing is known.'),
        timeout: duration({ min: '100ms', max: '10m' }).default('2s').describe('For one run as a whole.'),
        failAfter: z.int32().min(1).max(100).default(3).describe('Failures in a row that make it failing.'),
        recoverAfter: z.int32().min(1).max(100).default(2).describe('Successes in a row that make it healthy again.'),
      }),
      '[has(self.tcp), has(self.http), has(self.grpc), has(self.exec)].filter(given, given).size() == 1',
      'give exactly one of tcp, http, grpc and exec',
      { check: (value) => kinds.filter((kind) => value[kind] !== undefined).length === 1 },
    ),
    "!(has(self.exec) && self.through == 'service')",
    'a command runs in a pod: leave out through, or check by tcp, http or grpc',
    { check: ({ exec, through }) => exec === undefined || through === 'instance' },
  ),
  'duration(self.timeout) <= duration(self.period)',
  'timeout must not be above period: two runs of one check never overlap',
);

export const checks = () =>
  listMap(check, ['name'])
    .max(16)
    .default([])
    .describe('What makes a pod healthy. At least what Kubernetes says, always.');
