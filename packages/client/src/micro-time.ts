/** Times with microseconds, as Leases and Events have them. The API server refuses them with fewer digits. */
import { ClientError } from './error.ts';

/** A time as MicroTime: `2026-01-02T03:04:05.678000Z`. A number is milliseconds since 1970, with a fraction if need be. */
export function microTime(time: Date | number): string {
  const milliseconds = typeof time === 'number' ? time : time.getTime();
  const micros = Math.round(milliseconds * 1000);
  const whole = Math.floor(micros / 1000);
  const date = new Date(whole);
  if (Number.isNaN(date.getTime())) throw invalid(String(time));
  return `${date.toISOString().slice(0, -1)}${String(micros - whole * 1000).padStart(3, '0')}Z`;
}

const rfc3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/;

/** Milliseconds since 1970, with the microseconds as a fraction: Date.parse would cut them off. */
export function parseMicroTime(text: string): number {
  const [, seconds = '', fraction = '', zone = ''] = rfc3339.exec(text) ?? [];
  const milliseconds = Date.parse(`${seconds}${zone}`);
  if (Number.isNaN(milliseconds)) throw invalid(text);
  return milliseconds + Number(fraction.padEnd(6, '0').slice(0, 6)) / 1000;
}

function invalid(text: string): ClientError {
  return new ClientError('KUR_CLIENT_INVALID_REQUEST', `"${text}" is not a time like 2026-01-02T03:04:05.678901Z`);
}
