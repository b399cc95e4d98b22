/** How long a leader leads without a sign of life, and how often it gives one. */
import { type Duration, formatDuration, parseDuration } from '../duration.ts';
import { RuntimeError } from '../error.ts';

/** Settings of an election; they must fit together. */
export interface ElectionTimingOptions {
  /**
   * For so long after the last sign of life that they saw, others leave a lease alone. 15 s unless given; whole
   * seconds, since a Lease has no finer ones.
   */
  readonly leaseDuration?: Duration;
  /**
   * For so long after its last renewal a leader acts; then it stops by itself. 10 s unless given; at most nine tenths
   * of `leaseDuration`: what lies between is the time for requests under way to end, and for clocks that run unevenly.
   */
  readonly renewDeadline?: Duration;
  /** The leader renews this often, and others look this often (up to 2.2 times that, at random). 2 s unless given. */
  readonly retryPeriod?: Duration;
}

/** The same in milliseconds, checked. */
export type ElectionTiming = Readonly<Record<keyof ElectionTimingOptions, number>>;

/** Others look at the lease after one to 2.2 retry periods, so that they don't all look at once. */
export const JITTER = 1.2;

/**
 * Fills in the defaults; throws where the three don't fit together.
 *
 * @param whose What they are settings of, as an error names it.
 */
export function electionTiming(options: ElectionTimingOptions = {}, whose = 'leader election'): ElectionTiming {
  const wrong = (field: string, value: number, wanted: string) => misfit(`${whose}: ${field}`, value, wanted);
  const leaseDuration = parseDuration(options.leaseDuration ?? '15s', `${whose}: leaseDuration`);
  const renewDeadline = parseDuration(options.renewDeadline ?? '10s', `${whose}: renewDeadline`);
  const retryPeriod = parseDuration(options.retryPeriod ?? '2s', `${whose}: retryPeriod`);
  if (leaseDuration < 1000 || leaseDuration % 1000 !== 0) throw wrong('leaseDuration', leaseDuration, 'whole seconds');
  const longest = leaseDuration * 0.9;
  if (renewDeadline > longest) {
    throw wrong('renewDeadline', renewDeadline, `at most 9/10 of leaseDuration: ${formatDuration(longest)}`);
  }
  const most = renewDeadline / JITTER;
  if (retryPeriod <= 0 || retryPeriod >= most) {
    throw wrong('retryPeriod', retryPeriod, `more than 0 and less than 5/6 of renewDeadline: ${formatDuration(most)}`);
  }
  return { leaseDuration, renewDeadline, retryPeriod };
}

function misfit(field: string, value: number, wanted: string): RuntimeError {
  const message = `${field} is ${formatDuration(value)}, and must be ${wanted}`;
  return new RuntimeError('KUR_RUNTIME_INVALID_OPTION', message, {
    remedy: 'leave out all three for 15s, 10s and 2s',
  });
}
