import { createHash } from 'node:crypto';
import type { KubernetesObject } from '@kurator/client';
import { type Duration, parseDuration } from '../../duration.ts';
import { RuntimeError } from '../../error.ts';
import type { Rhythm } from './rhythm.ts';

export interface TimerRhythmOptions<T extends KubernetesObject> {
  readonly every: Duration | ((object: T) => Duration | undefined);
  /** From 0 to 1. */
  readonly jitter: number;
}

/**
 * At the object's creation, and every so long after that. Counted from the creation, and not from when the operator
 * began or the last run ended: so a restart neither brings all runs at once nor shifts any, and nothing has to be
 * remembered. Each object's own part of the jitter follows from its uid, and is always the same.
 */
export function timerRhythm<T extends KubernetesObject>({ every, jitter }: TimerRhythmOptions<T>): Rhythm<T> {
  const intervalOf = (object: T) => {
    const given = typeof every === 'function' ? every(object) : every;
    return given === undefined ? undefined : interval(given);
  };
  const after = (object: T, time: number) => {
    const length = intervalOf(object);
    // Whole milliseconds: what a fraction is rounded to differs from tick to tick, and one could come twice.
    return length && tickAfter(time, begin(object) + Math.floor(length * jitter * shareOf(object)), length);
  };
  return {
    followsDate: false,
    signature: (object) => String(intervalOf(object)),
    first: (object, now, isNew) => (isNew && intervalOf(object) ? now : after(object, now)),
    claim: (object, due, now) => Math.max(due, (after(object, now) ?? 0) - (intervalOf(object) ?? 0)),
    next: (object, { endedAt }) => ({ due: after(object, endedAt) }),
  };
}

/** @throws Unless it is a duration above 0. */
export function interval(every: Duration): number {
  const milliseconds = parseDuration(every, 'every');
  if (milliseconds > 0) return milliseconds;
  throw new RuntimeError('KUR_RUNTIME_BAD_SCHEDULE', 'every: 0 is no interval', {
    remedy: "give a duration such as '30s', or undefined for an object that shall have no runs",
  });
}

function tickAfter(time: number, anchor: number, length: number): number {
  return anchor + (Math.floor((time - anchor) / length) + 1) * length;
}

function begin({ metadata }: KubernetesObject): number {
  const time = Date.parse(metadata.creationTimestamp ?? '');
  return Number.isNaN(time) ? 0 : time;
}

/** From 0 to 1; spread evenly over objects. */
function shareOf({ metadata }: KubernetesObject): number {
  const text = metadata.uid ?? `${metadata.namespace}/${metadata.name}`;
  return createHash('sha1').update(text).digest().readUInt32BE() / 2 ** 32;
}
