/** SIGTERM and SIGINT: the first asks to stop, the second insists. */
export function listenToSignals(onStop: (signal: string) => void, onForce: (signal: string) => void): () => void {
  let asked = false;
  const listener = (signal: string) => {
    if (asked) onForce(signal);
    else onStop(signal);
    asked = true;
  };
  const signals = ['SIGTERM', 'SIGINT'] as const;
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}
