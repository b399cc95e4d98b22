/** What can go wrong when one CRD takes another's place. */

/** One thing that can go wrong. */
export interface Finding {
  /** Where: `v1: spec.ports[].name`. */
  readonly path: string;
  /**
   * `breaking` where objects or clients that work now will not, or data is lost, or the server refuses the change;
   * `warning` where that depends on what can't be seen from here.
   */
  readonly severity: 'breaking' | 'warning';
  /** What happens, and to whom. */
  readonly reason: string;
  /** What to do about it. */
  readonly remedy: string;
}
