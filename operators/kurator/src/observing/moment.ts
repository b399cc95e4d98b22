import type { Millis } from '../brain/time.ts';

/** A time as Kubernetes writes it; undefined where there is none. */
export function timeOf(text: string | undefined): Millis | undefined {
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
