/** Turns what `go build -v` prints into a fraction and an estimate of the time that is left. */
import type { Reporter } from '../reporter.ts';

/** The part of the whole time that each phase takes with cold caches, by measurement. */
const MODULES = 0.1;
const LINK = 0.05;

/** A package that Go is going to compile, and how much work it is beside the others. */
export interface StalePackage {
  readonly path: string;
  readonly weight: number;
}

/** Follows one compilation. */
export interface CompileProgress {
  /** Takes one line of `go build -v`: the path of a package whose compilation begins. */
  line(text: string): void;
}

/** Reads `go list -deps -f '{{if .Stale}}{{.ImportPath}} {{len .GoFiles}}{{end}}'`. */
export function parseStale(listing: string): StalePackage[] {
  return listing
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [path = '', files] = line.split(' ');
      // A package costs something to load and write even if it has a single file.
      return { path, weight: 2 + Number(files ?? 1) };
    });
}

/** Says that modules are being fetched, which can't be counted before it is done. */
export function modulesProgress(task: string, reporter: Reporter): (line: string) => void {
  let count = 0;
  reporter.progress(task, 0, 'finding out which modules are needed');
  return (line) => {
    const module = /^go: (?:downloading|finding) (\S+)/.exec(line)?.[1];
    if (!module) return;
    count += 1;
    // Approaches the phase's share without ever passing it: about 350 modules are fetched with a cold cache.
    reporter.progress(task, MODULES * (1 - Math.exp(-count / 150)), `fetching modules: ${module}`);
  };
}

/** Reports a compilation against the list of packages that it has to compile. */
export function compileProgress(
  task: string,
  stale: readonly StalePackage[],
  reporter: Reporter,
  now: () => number = Date.now,
): CompileProgress {
  const weights = new Map(stale.map(({ path, weight }) => [path, weight]));
  const total = stale.reduce((sum, { weight }) => sum + weight, 0);
  const started = now();
  let count = 0;
  let done = 0;
  reporter.progress(task, total === 0 ? 1 - LINK : MODULES, total === 0 ? 'linking' : 'compiling');
  return {
    line(text) {
      const weight = weights.get(text.trim());
      if (weight === undefined) return;
      weights.delete(text.trim());
      count += 1;
      done += weight;
      const fraction = MODULES + (1 - MODULES - LINK) * (done / total);
      const left = estimate(now() - started, fraction);
      reporter.progress(task, fraction, `package ${count} of ${stale.length}${left}`);
    },
  };
}

/** Said only once there is something to go by. */
function estimate(elapsed: number, fraction: number): string {
  const share = (fraction - MODULES) / (1 - MODULES);
  if (elapsed < 3_000 || share < 0.02) return '';
  const seconds = Math.round((elapsed / share - elapsed) / 1000);
  return seconds < 90 ? `, about ${seconds} s left` : `, about ${Math.round(seconds / 60)} min left`;
}
