/** Prints how long something took: bounds are measured by `npm run bench -- faults`; what a test sees is only told. */
export function measured(what: string, from: number, to: number | string | undefined): void {
  const end = typeof to === 'string' ? Date.parse(to) : (to ?? Number.NaN);
  console.info(`${what} after ${((end - from) / 1000).toFixed(1)} s`);
}
