/** What a reader gives, or undefined. Its error is dropped on purpose: a parser's words may quote what it could not read. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
