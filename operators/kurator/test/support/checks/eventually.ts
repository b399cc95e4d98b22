/** Waits until something is so, and fails with what was last seen when it never comes about. */
export async function eventually<T>(look: () => T | undefined | false, withinMs = 20_000): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const seen = look();
    if (seen !== undefined && seen !== false) return seen;
    if (performance.now() > deadline) throw new Error(`still not so after ${withinMs} ms: ${look}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
