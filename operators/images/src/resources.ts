/** The kind: what is updated by which policy, and what people are told of it. */
import { duration, immutable, type ObjectOf, resource, rule, z } from '@kurator/sdk';
import { LONGEST_HISTORY, MOST_OFFERS, MOST_QUARANTINED } from './brain/memory.ts';

/** The kinds of workloads whose images can be updated. */
const targetKinds = ['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob'] as const;

const TAG = '^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$';
const expression = () => z.string().min(1).max(256);

const target = z.object({
  kind: z.enum(targetKinds),
  name: z.string().min(1).max(253).describe('In the same namespace.'),
  container: z
    .string()
    .min(1)
    .max(63)
    .optional()
    .describe('One of its containers or init containers; its only container unless given.'),
});

const policies = ['semver', 'numerical', 'alphabetical', 'newestBuild', 'digest'] as const;
const policy = rule(
  z.object({
    semver: z
      .object({ range: z.string().min(1).max(256).describe("As npm writes it: '>=1.2 <2', '~1.4', '*'.") })
      .optional()
      .describe('The newest version of a range.'),
    numerical: z.object({}).optional().describe('The largest number.'),
    alphabetical: z.object({}).optional().describe('The last one in alphabetical order, such as a date.'),
    newestBuild: z.object({}).optional().describe('What was built last, by what images say of themselves.'),
    digest: z
      .object({
        tag: rule(
          z.string().min(1).max(128),
          `self.matches('${TAG}')`,
          'give a tag alone, without name and digest: stable',
          {
            check: (tag) => new RegExp(TAG).test(tag),
          },
        ),
      })
      .optional()
      .describe('Whatever a tag stands for.'),
  }),
  `[${policies.map((name) => `has(self.${name})`).join(', ')}].filter(given, given).size() == 1`,
  `give one of ${policies.join(', ')}`,
  { check: (policy) => policies.filter((name) => policy[name] !== undefined).length === 1 },
);

const filter = z.object({
  pattern: expression().optional().describe("A regular expression of RE2 that tags match: '^main-(?P<time>[0-9]+)$'."),
  extract: expression()
    .optional()
    .describe("What the policy goes by, from the pattern's groups: '$time'. The whole tag unless given."),
  exclude: expression().optional().describe('A regular expression of tags that are left out.'),
});

const gates = z
  .object({
    maturity: duration({ max: '8760h' })
      .default('0s')
      .describe('How long an image has been seen before it is rolled out.'),
    timeZone: z.string().min(1).max(64).default('UTC').describe('Of windows, as an IANA name: Europe/Berlin.'),
    windows: z
      .array(
        z.object({
          schedule: z.string().min(1).max(64).describe("When it opens: 'minute hour day month weekday'."),
          duration: duration({ min: '1m', max: '168h' }).describe('How long it stays open.'),
        }),
      )
      .max(16)
      .default([])
      .describe('When updates may begin; at any time unless given.'),
    freezes: z
      .array(z.object({ from: z.iso.datetime(), to: z.iso.datetime() }))
      .max(32)
      .default([])
      .describe('When none begins, whatever the windows say.'),
    approval: z
      .enum(['Automatic', 'Manual'])
      .default('Automatic')
      .describe('Manual: each digest waits for the annotation delivery.kurator.sh/approve=DIGEST.'),
  })
  .prefault({});

const judgement = rule(
  z.object({
    for: duration({ min: '1s', max: '24h' }).default('2m').describe('How long it has to do well without a break.'),
    deadline: duration({ min: '10s', max: '48h' })
      .default('10m')
      .describe('How long it may take to do well; what does not by then is bad.'),
  }),
  '!has(self.for) || !has(self.deadline) || duration(self.for) < duration(self.deadline)',
  'give a deadline that is longer than for',
).prefault({});

const time = () => z.iso.datetime();

/** The image of one container of one workload. */
export const ImageUpdate = resource({
  group: 'delivery.kurator.sh',
  version: 'v1alpha1',
  kind: 'ImageUpdate',
  shortNames: ['imgup'],
  categories: ['all'],
  description: 'New images for a workload: found, rolled out, judged, and taken back where they are bad.',
  spec: z.object({
    target: immutable(target),
    policy,
    filter: filter.optional(),
    interval: duration({ min: '5s', max: '24h' }).default('5m').describe('How often the registry is looked at.'),
    gates,
    judgement,
    dryRun: z.boolean().default(false).describe('Begins nothing, and tells what would be done.'),
    suspend: z.boolean().default(false).describe('Nothing is done, not even what was begun.'),
  }),
  status: z.object({
    phase: z.enum([
      'UpToDate',
      'Waiting',
      'Writing',
      'Judging',
      'RollingBack',
      'Held',
      'Unknown',
      'DryRun',
      'Suspended',
    ]),
    why: z.string().describe('What is being done or waited for, and why.'),
    running: z.object({ image: z.string(), tag: z.string().optional(), digest: z.string().optional() }),
    candidate: z.object({ tag: z.string(), digest: z.string(), firstSeen: time() }),
    known: z
      .string()
      .describe('The image that the workload last had by this ImageUpdate; any other is the word of somebody else.'),
    update: z
      .object({
        stage: z.enum(['Writing', 'Judging', 'RollingBack']),
        tag: z.string(),
        digest: z.string(),
        from: z.string(),
        to: z.string(),
        back: z.string(),
        since: time(),
        wellSince: time().optional(),
        why: z.string().optional(),
      })
      .describe('What is under way; written down before anything is done.'),
    history: z
      .array(
        z.object({
          tag: z.string(),
          digest: z.string(),
          from: z.string(),
          to: z.string(),
          at: time(),
          outcome: z.enum(['Accepted', 'RolledBack', 'Superseded', 'NotWritten']),
          why: z.string(),
        }),
      )
      .max(LONGEST_HISTORY)
      .describe('Newest first.'),
    quarantine: z
      .array(z.object({ digest: z.string(), tag: z.string(), at: time(), why: z.string() }))
      .max(MOST_QUARANTINED + 1)
      .describe('Never rolled out again until it is lifted: delivery.kurator.sh/lift=DIGEST, or all.'),
    hold: z
      .object({ image: z.string(), since: time(), why: z.string() })
      .describe('Somebody else has changed the image: nothing is done until delivery.kurator.sh/resume=TEXT.'),
    offers: z
      .array(z.object({ tag: z.string(), digest: z.string(), firstSeen: time() }))
      .max(MOST_OFFERS)
      .describe('What is newer than what runs, newest first.'),
    resumed: z.string().describe('The annotation that was heeded.'),
    lifted: z.string().describe('The annotation that was heeded.'),
  }),
  columns: {
    Target: '.spec.target.name',
    Running: '.status.running.tag',
    Candidate: '.status.candidate.tag',
    Phase: '.status.phase',
    Age: { path: '.metadata.creationTimestamp', type: 'date' },
    Why: { path: '.status.why', priority: 1 },
  },
});
export type ImageUpdate = ObjectOf<typeof ImageUpdate>;
