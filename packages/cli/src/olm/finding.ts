/** Something that is wrong with a bundle, and what to do about it. */
export interface Finding {
  /** With an error, OLM or a catalogue refuses the bundle; a warning is worth a look. */
  readonly severity: 'error' | 'warning';
  /** The file, or the field of the ClusterServiceVersion. */
  readonly at: string;
  readonly message: string;
  readonly remedy: string;
}

export function error(at: string, message: string, remedy: string): Finding {
  return { severity: 'error', at, message, remedy };
}

export function warning(at: string, message: string, remedy: string): Finding {
  return { severity: 'warning', at, message, remedy };
}

/** The finding, unless all is well. */
export function unless(isWell: unknown, finding: Finding): Finding[] {
  return isWell ? [] : [finding];
}
