/** Why a run is told to end, in words: what the reason of its signal is. */
import { formatDuration } from '../../duration.ts';
import { RuntimeError } from '../../error.ts';
import type { ObjectKey } from '../../object-key.ts';

/** Whose run it is. */
interface Whose {
  readonly name: string;
  readonly kind: string;
}

export function noLongerAttended({ name, kind }: Whose, key: ObjectKey, why: string): RuntimeError {
  return new RuntimeError('KUR_RUNTIME_RUN_ENDED', `${name}: ${kind} ${key} is no longer attended to: ${why}`);
}

export function nextIsDue({ name, kind }: Whose, key: ObjectKey): RuntimeError {
  return new RuntimeError('KUR_RUNTIME_RUN_ENDED', `${name}: the next run for ${kind} ${key} is due`);
}

export function tookTooLong({ name, kind }: Whose, key: ObjectKey, timeout: number): RuntimeError {
  const message = `${name}: the run for ${kind} ${key} took longer than ${formatDuration(timeout)}`;
  return new RuntimeError('KUR_RUNTIME_RECONCILE_TIMEOUT', message, {
    remedy: "give the schedule a longer timeout, or pass the context's signal to what takes so long",
  });
}

export function stillRunning({ name }: Whose, keys: readonly ObjectKey[]): RuntimeError {
  return new RuntimeError('KUR_RUNTIME_DRAIN_TIMEOUT', `${name}: still running for ${keys.slice(0, 5).join(', ')}`, {
    remedy: "let runs heed their context's signal, or give the schedule a longer grace",
  });
}
