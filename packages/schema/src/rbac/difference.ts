/** What one set of rules allows and another does not, in words. */
import type { PolicyRule } from '@kurator/client';
import { type Grant, grantsOfRules, keyOf, withoutRepetition } from './grant.ts';

/**
 * What is allowed after, and was not before (`+`), and the other way round (`-`), a line for each resource. How the rules
 * are cut makes no difference. Empty where both allow the same.
 *
 * @example rulesDiff(before, after) // "+ deployments.apps: patch\n- secrets: list, watch\n"
 */
export function rulesDiff(before: readonly PolicyRule[], after: readonly PolicyRule[]): string {
  const had = withoutRepetition(grantsOfRules(before));
  const has = withoutRepetition(grantsOfRules(after));
  const lines = [...described('+', missingFrom(had, has)), ...described('-', missingFrom(has, had))];
  // By resource, so that what comes and what goes stand together.
  const sorted = lines.toSorted((a, b) => compare(a.slice(2), b.slice(2)));
  return sorted.map((line) => `${line}\n`).join('');
}

function missingFrom(there: readonly Grant[], wanted: readonly Grant[]): Grant[] {
  const keys = new Set(there.map(keyOf));
  return wanted.filter(
    ({ name, ...rest }) => !keys.has(keyOf({ ...rest, ...(name ? { name } : {}) })) && !keys.has(keyOf(rest)),
  );
}

function described(sign: string, grants: readonly Grant[]): string[] {
  const byTarget = Map.groupBy(grants, ({ group, resource, name }) => {
    const [kind, subresource] = resource.split('/');
    const whole = `${kind}${group ? `.${group}` : ''}${subresource ? `/${subresource}` : ''}`;
    return name ? `${whole} "${name}"` : whole;
  });
  return [...byTarget].map(([target, some]) => `${sign} ${target}: ${some.map(({ verb }) => verb).join(', ')}`);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
