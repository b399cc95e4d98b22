/** What a check of this machine is, and what comes out of it. */

/** What a machine can be used for; each check is needed for one of them. */
export type Purpose = 'control plane' | 'nodes' | 'images' | 'faults';

/** The purposes in the order in which a person would want them. */
export const purposes: readonly Purpose[] = ['control plane', 'nodes', 'images', 'faults'];

/** `missing` keeps its purpose from working; a `warning` only takes something away from it. */
export type CheckState = 'ok' | 'missing' | 'warning';

/** One thing that was looked at. */
export interface CheckResult {
  /** Stable, for programs: `root`, `kernel-overlay`, `program-containerd`. */
  readonly id: string;
  /** For people. */
  readonly title: string;
  readonly neededFor: Purpose;
  readonly state: CheckState;
  /** What was found, or what does not work without it. */
  readonly detail: string;
  /** The command or the sentence that mends it; undefined where all is well or nothing can be done. */
  readonly remedy?: string;
}

/** What a check has to say about some facts; its name and purpose come from the table it stands in. */
export type Finding = Pick<CheckResult, 'state' | 'detail' | 'remedy'>;

/** All is well. */
export function ok(detail: string): Finding {
  return { state: 'ok', detail };
}

/** Not as it should be: `missing` where the purpose can't do without it, else a `warning`. */
export function lacking(state: 'missing' | 'warning', detail: string, remedy?: string): Finding {
  return { state, detail, ...(remedy ? { remedy } : {}) };
}

/** Whether everything that a purpose can't do without is there. Everything but a control plane builds on nodes. */
export function isAble(purpose: Purpose, results: readonly CheckResult[]): boolean {
  const needed = purpose === 'faults' ? ['control plane', 'nodes', 'faults'] : [purpose];
  return !results.some(({ neededFor, state }) => state === 'missing' && needed.includes(neededFor));
}
