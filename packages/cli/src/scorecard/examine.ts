/** Runs the checks of all levels against a cluster. What can't be seen is said, and stops nothing. */
import { randomBytes } from 'node:crypto';
import { Deployment } from '@kurator/client';
import type { Check, LevelChecks } from './check.ts';
import type { Examination } from './examination.ts';
import { autopilot } from './levels/autopilot.ts';
import { insight } from './levels/insight.ts';
import { install } from './levels/install.ts';
import { lifecycle } from './levels/lifecycle.ts';
import { upgrade } from './levels/upgrade.ts';
import { kindsOf, type Live, looksAt } from './live.ts';
import { type Outcome, unmet, untested } from './outcome.ts';
import { type LevelReport, type Line, levelReport } from './report.ts';
import { existing, makeSamples, removeSamples, type Specimen } from './specimens.ts';
import type { Subject } from './subject.ts';

/** Everything that is looked at in a cluster. To add a line, add a check to its level. */
const levels: readonly LevelChecks[] = [install, upgrade, lifecycle, insight, autopilot];

/** All lines, in the order of the levels. */
export async function examined(subject: Subject, examination: Examination, namespace: string): Promise<LevelReport[]> {
  const { client, signal } = examination;
  const ref = { name: subject.name, namespace };
  const deployment = await client.find(Deployment, ref, { signal });
  if (!deployment) return notDeployed(ref);
  const kinds = kindsOf(subject);
  const own = namespaceFor(subject);
  const made: Specimen[] = [];
  try {
    const noSamples =
      whyNoSamples(subject, examination, deployment) ??
      (await makeSamples(examination, kinds, subject.examples, own, made).then(() => undefined, inWords(signal)));
    const specimens = noSamples ? await existing(client, kinds, signal).catch(() => []) : made;
    const looks = looksAt(client, ref, signal);
    const live: Live = { ...examination, ...looks, subject, ref, kinds, specimens, noSamples };
    return await allLevels(async (check) => await outcomeOf(check, live), examination);
  } finally {
    if (examination.disruptive) await removeSamples(examination, made, own);
  }
}

/** Of its own, and called after the operator: should it ever be left, a person knows what it was for. */
function namespaceFor({ name }: Subject): string {
  return `kurator-scorecard-${name.replaceAll('.', '-').slice(0, 32)}-${randomBytes(3).toString('hex')}`;
}

function inWords(signal: AbortSignal): (error: Error) => string {
  return (error) => {
    signal.throwIfAborted();
    return `the examples can't be made: ${error.message}`;
  };
}

/** Every line untested, for one reason. */
export async function unexamined(reason: string, remedy?: string): Promise<LevelReport[]> {
  return levels.map(({ level, checks }) =>
    levelReport(
      level,
      checks.map(({ id, title }) => ({ id, title, ...untested(reason, remedy) })),
    ),
  );
}

async function notDeployed({ name, namespace }: { name: string; namespace: string }): Promise<LevelReport[]> {
  const missing = unmet(`there is no Deployment ${namespace}/${name}`, 'deploy it (kurator deploy), or say where: -n');
  const [first, ...others] = await unexamined('it is not deployed');
  const [deployed, ...rest] = first?.lines ?? [];
  if (!first || !deployed) return others;
  return [levelReport(first.level, [{ ...deployed, ...missing }, ...rest]), ...others];
}

async function allLevels(
  run: (check: Check) => Promise<Outcome>,
  { reporter, signal }: Examination,
): Promise<LevelReport[]> {
  const reports: LevelReport[] = [];
  for (const { level, checks } of levels) {
    const lines: Line[] = [];
    for (const check of checks) {
      signal.throwIfAborted();
      const { id, title } = check;
      reporter.progress('Checking', undefined, id);
      lines.push({ id, title, ...(await run(check)) });
    }
    reports.push(levelReport(level, lines));
  }
  reporter.progress('Checking', 1);
  return reports;
}

/** What was waited for and did not come is no trouble with looking. */
const inVain: ReadonlySet<string> = new Set(['KUR_CLIENT_TIMEOUT', 'KUR_CLI_NOT_READY']);

async function outcomeOf(check: Check, live: Live): Promise<Outcome> {
  if (check.disruptive && !live.disruptive) return untested('it deletes or restarts something', 'add --disruptive');
  try {
    return await check.run(live);
  } catch (error) {
    if (live.signal.aborted) throw live.signal.reason;
    const { message, code = '', remedy } = error as Error & { code?: string; remedy?: string };
    return inVain.has(code) ? unmet(message, remedy) : untested(message, remedy);
  }
}

/** Pure. The variable is how an operator is told to work in some namespaces only. */
function whyNoSamples(subject: Subject, { disruptive }: Examination, { spec }: Deployment): string | undefined {
  if (!disruptive) return 'none is made without --disruptive';
  if (subject.examples.length === 0) return 'the bundle has no examples to make';
  const variables = spec?.template.spec?.containers.flatMap(({ env = [] }) => env) ?? [];
  const where = variables.find(({ name }) => name === 'WATCH_NAMESPACE')?.value;
  return where ? `it works in ${where} only, and not in a namespace that is made for this` : undefined;
}
