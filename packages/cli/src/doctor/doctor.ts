/** `kurator doctor`: the checks of this machine, as a person wants to read them. */

import { type Action, FAILURE } from '@kurator/command';
import { isForPrograms, type OutputOptions, serialised } from '@kurator/command/kube';
import { type CheckResult, doctor, isAble, type Purpose, purposes } from '@kurator/testenv';

interface DoctorOptions extends OutputOptions {
  verbose?: boolean;
}

export const showDoctor: Action<DoctorOptions, []> = async ({ print, screen, signal }, options) => {
  const { verbose = false } = options;
  const results = await doctor({ signal });
  print(isForPrograms(options) ? await serialised(report(results), options, screen) : doctorText(results, { verbose }));
  return results.some(({ state }) => state === 'missing') ? FAILURE : 0;
};

function report(results: readonly CheckResult[]) {
  const can = Object.fromEntries(purposes.map((purpose) => [purpose, isAble(purpose, results)]));
  return { can, checks: results };
}

const marks = { ok: 'ok     ', missing: 'missing', warning: 'warning' } as const;

/** One line a purpose; under it what is not as it should be, or everything if asked for. Pure. */
export function doctorText(results: readonly CheckResult[], { verbose }: { verbose: boolean }): string {
  const lines = purposes.flatMap((purpose) => [
    `${isAble(purpose, results) ? 'yes' : 'no '}  ${purpose}: ${summary(purpose, results)}`,
    ...results
      .filter(({ neededFor, state }) => neededFor === purpose && (verbose || state !== 'ok'))
      .flatMap(({ state, title, detail, remedy }) => [
        `       ${marks[state]}  ${title}: ${detail}`,
        ...(remedy ? [`                  fix: ${remedy}`] : []),
      ]),
  ]);
  const rest = verbose ? [] : ['', 'Everything else is as it should be; --verbose shows it.'];
  return [...lines, ...rest].join('\n');
}

function summary(purpose: Purpose, results: readonly CheckResult[]): string {
  const own = results.filter(({ neededFor }) => neededFor === purpose);
  const count = (wanted: CheckResult['state']) => own.filter(({ state }) => state === wanted).length;
  const trouble = [
    count('missing') && `${count('missing')} missing`,
    count('warning') && `${count('warning')} to know of`,
  ];
  if (trouble.some(Boolean)) return trouble.filter(Boolean).join(', ');
  return isAble(purpose, results) ? 'nothing is missing' : 'needs nodes';
}
