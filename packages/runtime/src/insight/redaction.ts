/** Keeps secrets out of what people and other machines read: logs, events, the debug page. */

export const REDACTED = '[redacted]';

/** Names of fields whose values nobody should read. */
const secretName =
  /(^|[^a-z])(authorization|cookie)$|passw(or)?d|passphrase|secret$|token$|api[-_]?key|private[-_]?key|client[-_]?key|credential/i;

/** Names that look like secrets and are not: `secretName`, `continueToken` and their like say where, not what. */
const harmless = /^(continue[-_]?token|secret[-_]?name)$/i;

/** Whether a field of this name is kept back. */
export function isSecretName(name: string): boolean {
  return secretName.test(name) && !harmless.test(name);
}

const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;
const jsonWebToken = /\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?/g;
const authorization = /\b(Bearer|Basic)\s+[\w.~+/-]{16,}=*/gi;
const assignment = /\b([\w-]*(?:passw(?:or)?d|passphrase|token|secret|api[-_]?key))(=|"\s*:\s*")[^\s"'&,;]+/gi;
const userInfo = /:\/\/[^/\s:@]+:[^/\s@]+@/g;

/** A text without what looks like a password, token or private key in it. */
export function withoutSecrets(text: string): string {
  return text
    .replace(privateKey, REDACTED)
    .replace(jsonWebToken, REDACTED)
    .replace(authorization, `$1 ${REDACTED}`)
    .replace(assignment, `$1$2${REDACTED}`)
    .replace(userInfo, `://${REDACTED}@`);
}

// Deeper than any log line should be.
const DEEPEST = 6;

/** The same value with every field of a secret name kept back; copies only where there is something to hide. */
export function redacted<T>(value: T, depth = 0): T {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return value;
  if (Array.isArray(value)) return redactedItems(value, depth) as T;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  let copy: Record<string, unknown> | undefined;
  for (const [name, field] of Object.entries(value)) {
    const clean = isSecretName(name) && field !== undefined ? REDACTED : redacted(field, depth + 1);
    if (clean === field) continue;
    copy ??= { ...value } as Record<string, unknown>;
    copy[name] = clean;
  }
  return (copy ?? value) as T;
}

function redactedItems(items: readonly unknown[], depth: number): readonly unknown[] {
  const clean = items.map((item) => redacted(item, depth + 1));
  return clean.some((item, index) => item !== items[index]) ? clean : items;
}
