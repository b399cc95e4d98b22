import { parseDuration } from '@kurator/sdk';

/** Without the fields that were not given, so that defaults count. */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

export function milliseconds(duration: string | undefined): number | undefined {
  return duration === undefined ? undefined : parseDuration(duration);
}
