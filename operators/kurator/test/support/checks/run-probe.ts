/** One run of a probe with a deadline, as the scheduler would do it. */
import type { Probe } from '../../../src/senses/checks/check.ts';
import type { Exec } from '../../../src/senses/checks/probes/exec-probe.ts';
import { prepareProbe } from '../../../src/senses/checks/probes/prepare-probe.ts';
import type { Finding, ProbeRun } from '../../../src/senses/checks/probes/probe-run.ts';

/** Short enough that tests of hangs are quick, long enough for anything that answers. */
const SOON_MS = 400;

/** What is found. `within` is only long where something must happen first. */
export function runProbe(
  probe: Probe,
  { within = SOON_MS, exec }: { within?: number; exec?: Exec } = {},
): Promise<Finding> {
  return new Promise((resolve) => {
    const deadline = setTimeout(() => run.expire(), within);
    const run: ProbeRun = prepareProbe(
      probe,
      exec,
    )((finding) => {
      clearTimeout(deadline);
      resolve(finding);
    });
  });
}

/** For what does answer, but not at once on a busy machine. */
export const patiently = { within: 10_000 } as const;
