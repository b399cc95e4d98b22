/** `kurator scorecard` */
import { parseDuration } from '@kurator/client';
import { type Action, type ActionContext, CliError, confirm } from '@kurator/command';
import { type ClusterOptions, inCluster, isForPrograms, serialised } from '@kurator/command/kube';
import { bundleTests } from './bundle-tests.ts';
import { claimedLevel, type Level } from './check.ts';
import { examined, unexamined } from './examine.ts';
import { isPassed, type LevelReport, type Report, reachedLevel, reportText } from './report.ts';
import { readSubject, type Subject } from './subject.ts';

/** As commander gives them. */
export interface ScorecardOptions extends ClusterOptions {
  bundle?: string;
  monitoring?: string;
  cluster: boolean;
  disruptive?: boolean;
  yes?: boolean;
  upgradeTo?: string;
  level?: number;
  strict?: boolean;
  timeout: string;
  output?: 'json' | 'yaml';
}

/** Something is not met. */
const UNMET = 3;

export const scorecard: Action<ScorecardOptions, [folder: string]> = async (context, options, folder) => {
  const timeoutMs = parseDuration(options.timeout);
  const subject = await readSubject(folder, options, context.signal);
  const { cluster, levels } = options.cluster
    ? await lookedAt(subject, options, timeoutMs, context)
    : { cluster: 'in no cluster', levels: await unexamined('no cluster was to be asked') };
  const { csv } = subject;
  const report: Report = {
    operator: subject.name,
    version: csv?.spec?.version ?? '',
    cluster,
    claimed: claimedLevel(csv?.metadata.annotations?.capabilities),
    reached: reachedLevel(levels),
    tests: bundleTests.map(({ id, title, run }) => ({ id, title, ...run(subject) })),
    levels,
  };
  const text = isForPrograms(options)
    ? await serialised(report, options, context.screen)
    : reportText(report, context.screen.paint);
  context.print(text);
  const level = (options.level ?? report.claimed) as Level;
  return isPassed(report, { level, strict: options.strict ?? false }) ? 0 : UNMET;
};

interface Looked {
  readonly cluster: string;
  readonly levels: LevelReport[];
}

/** In the cluster that is meant; all untested where there is none. */
async function lookedAt(
  subject: Subject,
  options: ScorecardOptions,
  timeoutMs: number,
  { signal, reporter }: ActionContext,
): Promise<Looked> {
  const { disruptive = false, upgradeTo } = options;
  const namespace = options.namespace ?? subject.name;
  try {
    return await inCluster(options, async ({ client }) => {
      const cluster = `namespace ${namespace} of ${client.config.server}`;
      if (disruptive) await agreed(options, cluster);
      const examination = { client, signal, reporter, timeoutMs, disruptive, upgradeTo };
      return { cluster, levels: await examined(subject, examination, namespace) };
    });
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'KUR_CLI_NO_SERVER' || disruptive) throw error;
    return { cluster: 'in no cluster', levels: await unexamined(error.message, error.remedy) };
  }
}

async function agreed({ yes }: ScorecardOptions, cluster: string): Promise<void> {
  const question = `Delete and restart pods of the operator in ${cluster}, and make examples in a namespace of their own?`;
  await confirm(question, { yes });
}
