/** Takes out of text what looks like a secret, before it is kept where more people can read it than where it came from. */

const hidden = '[redacted]';

const patterns: readonly [RegExp, string][] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, hidden],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, hidden],
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${hidden}`],
  // user:password@host
  [/(\w+:\/\/[^\s:/@]*):[^\s@/]+@/g, `$1:${hidden}@`],
  [
    /((?:pass(?:word|wd|phrase)?|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|credential)s?["']?\s*[:=]\s*["']?)[^\s"',;&}]+/gi,
    `$1${hidden}`,
  ],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, hidden],
  [/\b(?:gh[pousr]_|xox[abprs]-|glpat-|sk_live_)[\w-]{10,}/g, hidden],
];

/** The text without what looks like passwords, tokens and keys. */
export function redact(text: string): string {
  return patterns.reduce((clean, [pattern, replacement]) => clean.replace(pattern, replacement), text);
}
