/**
 * Loaded before the operator in a soak: whenever it is asked by SIGUSR2, it tells what is still needed in the heap, which
 * is what is left after a collection; before one, the heap also holds whatever V8 has not come round to.
 */
process.on('SIGUSR2', () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  console.log(`memory ${JSON.stringify({ heapUsed, external })}`);
});
