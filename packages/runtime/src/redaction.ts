/** Keeps secrets out of what people and other machines read: logs, events, the debug page. */

export const REDACTED = '[redacted]';

/** Names of fields whose values nobody should read. */
const secretName =
  /(^|[^a-z])(authorization|cookie)$|passw(or)?d|passphrase|(secret|token)([-_]?value)?$|api[-_]?key|private[-_]?key|client[-_]?key|credential/i;

/** Names that look like secrets and are not: `secretName`, `continueToken` and their like say where, not what. */
const harmless = /^(continue[-_]?token|secret[-_]?name)$/i;

/** Whether a field of this name is kept back. */
export function isSecretName(name: string): boolean {
  return secretName.test(name) && !harmless.test(name);
}

/** What a secret is called in a text, however the name goes on: `TOKEN_VALUE`, but not `token_count`. */
const called = (() => {
  const word =
    '(?:passw(?:or)?d|passphrase|pwd|secret|token|(?:api|access|private|client|secret)[-_]?key(?:[-_]?id)?|credential)s?';
  const where =
    'names?|namespace|ids?|count|ttl|type|kind|file|path|dir|ur[il]|ref|size|length|limit|version|expir\\w{0,8}';
  const more = `(?:[-_](?!(?:${where})(?![a-z0-9]))[a-z0-9]{1,32}){0,4}`;
  return `${word}${more}`;
})();
/** In quotes, however often these were escaped, as those within are once more; or up to where a word ends. */
const quoted = (group: number) => `(\\\\{0,4}["'])(?:(?!\\${group})\\\\{0,64}[^\\r\\n\\\\])*(?:\\${group})?`;

/**
 * What looks like a secret, and what is left of it. A pattern never looks twice at the same text: it begins with something
 * fixed, and whatever it reads without a bound is either consumed or can't contain its beginning. So a text takes time by
 * its length alone, whoever wrote it.
 */
const patterns: readonly [pattern: RegExp, left: string | ((...found: string[]) => string)][] = [
  // PEM: one that is cut off goes to the end.
  [/-----BEGIN [A-Z0-9 ]{1,64}-----[\s\S]*?(?:-----END [A-Z0-9 ]{1,64}-----|$)/g, REDACTED],
  // The end of a key whose beginning is cut off, as by a tail of a log.
  [/^[\s\S]*-----END [A-Z0-9 ]{0,64}PRIVATE KEY(?: BLOCK)?-----/, REDACTED],
  // Headers, to the end of the line.
  [
    /((?:authorization|cookie)\\{0,4}["']?\s{0,8}[:=]\s{0,8}\\{0,4}["']?)(bearer\s|basic\s|digest\s)?[^\r\n"'\\]+/gi,
    (_, name = '', scheme = '') => `${name}${scheme ?? ''}${REDACTED}`,
  ],
  [/\b(bearer|basic)(\s{1,8})(?:[\w.~+/-]{0,64}[\d_+/][\w.~+/-]{7,}|[\w.~+/-]{16,})={0,2}/gi, `$1$2${REDACTED}`],
  // user:password@host, to the last @ before the path.
  [/:\/\/[^\s/"'<>]{1,2048}@/g, `://${REDACTED}@`],
  // password=…, "apiKey": "…"
  [
    new RegExp(
      `(${called})(\\\\{0,4}["']?(?:\\s{0,8}=\\s{0,8}|:|\\s{0,8}:\\s{1,8}))(?:${quoted(3)}|([^\\s"',;&}]+))`,
      'gi',
    ),
    withoutValue,
  ],
  // --password …, but not where another flag follows.
  [
    new RegExp(`(--(?:[a-z0-9]{1,32}-){0,4}${called})(\\s{1,8})(?:${quoted(3)}|([^\\s"',;&}-][^\\s"',;&}]*))`, 'gi'),
    withoutValue,
  ],
  // Runs of letters that could be a token; what it is shows in how it begins.
  [/[\w.+/=~-]{16,}/g, withoutToken],
];

/** A plain word after a colon is mostly a sentence that goes on: `the token: expired`. */
function withoutValue(whole: string, name = '', between = '', quote = '', plain = ''): string {
  if (quote) return `${name}${between}${quote}${REDACTED}${whole.endsWith(quote) ? quote : ''}`;
  const isSentence = /:\s+$/.test(between) && /^(?:token|secret|credential)/i.test(name) && !/\d/.test(plain);
  return isSentence ? whole : `${name}${between}${REDACTED}`;
}

/** Of JSON Web Tokens, AWS, GitHub, GitLab, Slack, Stripe, Google, npm and others. */
const tokenStart =
  /(?:^|[^A-Za-z0-9])(eyJ[\w-]{8}|(?:AKIA|ASIA)[A-Z0-9]{12}|gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|[sr]k_(?:live|test)_|AIza|npm_|hf_|dop_v1_)/;

function withoutToken(run: string): string {
  const found = tokenStart.exec(run);
  if (!found?.[1]) return run;
  const at = found.index + found[0].length - found[1].length;
  return `${run.slice(0, at)}${REDACTED}`;
}

/** Something of this is in every text that has a secret in it: most have nothing, and are not looked at any further. */
const hint =
  /passw|passphrase|pwd|secret|token|key|credential|authorization|cookie|bearer|basic|:\/\/|-----BEGIN|eyJ|A[KS]IA|gh[pousr]_|github_pat|glpat|xox|[sr]k_|AIza|npm_|hf_|dop_v1/i;

/**
 * A text without what looks like a password, token or private key in it: for whatever leaves the program. Takes time by the
 * text's length alone, whoever wrote it.
 */
export function withoutSecrets(text: string): string {
  if (!hint.test(text)) return text;
  return patterns.reduce((clean, [pattern, left]) => clean.replace(pattern, left as string), text);
}

// Deeper than any log line should be.
const DEEPEST = 6;
const TOO_DEEP = '[too deep to be looked at]';

/**
 * The same value with every field of a secret name kept back, and its texts without what looks like a secret; copies only
 * where there is something to hide. What lies too deep is not looked at, and not shown.
 */
export function redacted<T>(value: T, depth = 0): T {
  if (typeof value === 'string') return withoutSecrets(value) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST) return TOO_DEEP as T;
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
