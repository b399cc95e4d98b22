/** Does `work` for 0 to count - 1, `concurrency` at a time. */
export async function each(count: number, work: (i: number) => Promise<unknown>, concurrency = 32): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
