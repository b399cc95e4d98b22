/** The value of a JSON text, or undefined where it isn't one: the parser's own error quotes text that may be a secret. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
