/**
 * How Kubernetes writes amounts, lengths of time and the names of kinds, and what an error says. A door of its own (`@kurator/client/notation`): whoever only
 * reads and writes them loads nothing that talks to a server.
 */
export { durationPattern, spelledDuration } from './duration.ts';
export { messageOf } from './error.ts';
export { parseQuantity } from './quantity.ts';

/** The plural that Kubernetes' own tools would guess for a kind. */
export function pluralOf(kind: string): string {
  const singular = kind.toLowerCase();
  if (/(s|x|z|ch|sh)$/.test(singular)) return `${singular}es`;
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return `${singular}s`;
}
