import type { Clock, ClockTimer } from '../../clock.ts';

// How soon it is noticed, and how much may be a clock's own unevenness.
const PERIOD = 60_000;
const TOLERANCE = 1_000;

/** Tells when the wall clock was set, or went on while the machine slept; returns how to stop. */
export function watchDate(clock: Clock, onSet: () => void): () => void {
  const offset = () => clock.date() - clock.now();
  let timer: ClockTimer;
  let known = offset();
  const look = () => {
    const now = offset();
    if (Math.abs(now - known) > TOLERANCE) onSet();
    known = now;
    timer = clock.setTimeout(look, PERIOD);
  };
  timer = clock.setTimeout(look, PERIOD);
  return () => clock.clearTimeout(timer);
}
