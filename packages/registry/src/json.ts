/** Reads JSON that may hold secrets, or be none. Pure. */

/** A value from JSON; undefined for what is none. Without the error, whose message would quote the text, and so perhaps a secret. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
