/** Label selectors, as they are written in a request. */
import type { LabelSelector } from '@kurator/client';

const operators: Readonly<Record<string, (key: string, values: string) => string>> = {
  In: (key, values) => `${key} in (${values})`,
  NotIn: (key, values) => `${key} notin (${values})`,
  Exists: (key) => key,
  DoesNotExist: (key) => `!${key}`,
};

/** As it is written in a request; empty for one that chooses nothing. */
export function selectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector = {}): string {
  const labels = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`);
  const others = matchExpressions.map(({ key, operator, values = [] }) => operators[operator]?.(key, values.join()));
  return [...labels, ...others].filter(Boolean).join();
}
