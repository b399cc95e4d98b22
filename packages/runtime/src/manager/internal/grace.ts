/** How much time there is to stop in. */
import { type Duration, parseDuration } from '../../duration.ts';
import { RuntimeError } from '../../error.ts';

const VARIABLE = 'TERMINATION_GRACE_PERIOD_SECONDS';
const KUBERNETES_DEFAULT = 30_000;

/**
 * Milliseconds in which everything must have ended: the pod's grace period less a margin for the kubelet to notice and
 * for the process to exit, a sixth of it and at most 5 s. Kubernetes doesn't tell a pod its grace period; whoever sets
 * another than 30 s says so here, or in the environment variable TERMINATION_GRACE_PERIOD_SECONDS.
 */
export function drainTime(gracePeriod: Duration | undefined, environment: NodeJS.ProcessEnv = process.env): number {
  const period = gracePeriod === undefined ? periodFrom(environment) : parseDuration(gracePeriod, 'gracePeriod');
  return period - Math.min(5_000, period / 6);
}

function periodFrom(environment: NodeJS.ProcessEnv): number {
  const text = environment[VARIABLE];
  if (!text) return KUBERNETES_DEFAULT;
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1000;
  throw new RuntimeError('KUR_RUNTIME_INVALID_OPTION', `${VARIABLE} is "${text}", and must be a number of seconds`, {
    remedy: "give what the pod's terminationGracePeriodSeconds says, or leave it out for 30",
  });
}
