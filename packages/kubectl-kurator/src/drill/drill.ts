/** `kurator drill`: breaks a service of one's own on purpose, and says what became of it. */
import { type Action, type ActionContext, announceCleanup, CliError, confirm, table } from '@kurator/command';
import {
  type ClusterOptions,
  inCluster,
  isForPrograms,
  type OutputOptions,
  type Reached,
  serialised,
} from '@kurator/command/kube';
import { NOT_NOTICED, UNHEALTHY } from '../healer/exit-codes.ts';
import { fullName } from '../healer/find.ts';
import { carryOut } from './carry-out.ts';
import { type DrillPlan, type DrillPlanOptions, dependencyOf, faultOf, planDrill } from './drill-plan.ts';
import { type DrillSubject, subjectOf } from './drill-subject.ts';
import { faults } from './faults.ts';
import { type Intent, refusalsOf, refused } from './guards.ts';
import { healDrill } from './heal.ts';
import type { Outcome } from './report.ts';
import { reportPage } from './report-page.ts';

interface DrillOptions extends ClusterOptions, OutputOptions, DrillPlanOptions {
  readonly list?: boolean;
  readonly heal?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly rate: number;
  readonly path?: string;
}

const exitCodes: Readonly<Record<Outcome, number>> = {
  recovered: 0,
  undisturbed: 0,
  notRecovered: UNHEALTHY,
  disturbed: UNHEALTHY,
  notNoticed: NOT_NOTICED,
};

export const drill: Action<DrillOptions, [string | undefined]> = async (context, options, name) => {
  if (options.list) return await list(context, options);
  if (!name) throw new CliError('KUR_CLI_USAGE', 'name a service', { remedy: 'kurator get shows which there are' });
  return await inCluster(options, async (reached) => {
    if (options.heal) return await healDrill(context, reached, name);
    return await run(context, reached, options, name);
  });
};

async function run(context: ActionContext, reached: Reached, options: DrillOptions, name: string): Promise<number> {
  const { print, screen, signal } = context;
  const fault = faultOf(options);
  const subject = await subjectOf(reached, name, signal);
  const other = dependencyOf(options, subject);
  const namespace = subject.kurator.metadata.namespace;
  const victim = other ? await subjectOf({ ...reached, namespace }, other, signal) : subject;
  judge(subject, { fault });
  if (victim !== subject) judge(victim, { fault: 'hang', all: true });
  const plan = planDrill(reached.client, victim, options, signal);
  await plan.means.check();
  if (options.dryRun) return await tellPlan(context, options, subject, plan);
  await agreed(options, subject, plan);
  announceCleanup(context);
  const { rate, path } = options;
  const report = await carryOut(context, { reached, subject, victim, plan, rate, path });
  print(isForPrograms(options) ? await serialised(report, options, screen) : reportPage(report, screen));
  return exitCodes[report.outcome];
}

function judge(subject: DrillSubject, intent: Intent): void {
  const refusals = refusalsOf(subject, intent, Date.now());
  if (refusals.length > 0) throw refused(subject, refusals);
}

async function tellPlan(
  { print, screen }: ActionContext,
  options: DrillOptions,
  { kurator }: DrillSubject,
  { fault, pods, deadlineSeconds, means }: DrillPlan,
): Promise<number> {
  const names = pods.map(({ metadata }) => metadata.name);
  const data = {
    service: fullName(kurator),
    fault,
    does: means.plan,
    pods: names,
    deadlineSeconds,
    ends: faults[fault].ends,
  };
  if (isForPrograms(options)) print(await serialised(data, options, screen));
  else print(`${data.service}: ${data.does}; for ${deadlineSeconds} s at most. Nothing was done.`);
  return 0;
}

/** By a flag, or by a person. */
async function agreed(
  { yes }: DrillOptions,
  { kurator }: DrillSubject,
  { means, deadlineSeconds }: DrillPlan,
): Promise<void> {
  const question = `${fullName(kurator)}: ${means.plan}; for ${deadlineSeconds} s at most. Do it?`;
  await confirm(question, { yes });
}

async function list({ print, screen }: ActionContext, options: DrillOptions): Promise<number> {
  const all = Object.entries(faults).map(([fault, kind]) => ({ fault, ...kind }));
  if (isForPrograms(options)) print(await serialised(all, options, screen));
  else {
    const rows = all.flatMap(({ fault, does, needs, ends, deadline }) => [
      [fault, 'does', does],
      ['', 'needs', needs],
      ['', 'ends', `${ends}; ${deadline} unless told otherwise`],
    ]);
    print(table(['FAULT', '', ''], rows, { screen }));
  }
  return 0;
}
