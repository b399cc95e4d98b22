/** What an installation makes of the switch of the cluster: it is shown before anything is done. Pure. */
import type { Mode, SwitchState } from '../healer/switch.ts';

/** What is known before. */
interface Known {
  /** What the command was told. */
  readonly wanted: 'On' | 'Observe' | undefined;
  /** The switch that is there, maybe of an earlier installation. */
  readonly live: SwitchState | undefined;
  /** Whether Kurator is installed already, and what its installation began with. */
  readonly before: { readonly first: string | undefined } | undefined;
}

/** What is to be done. */
interface SwitchPlan {
  /** What the operator sets it to where nobody has set it. */
  readonly first: string | undefined;
  /** What it must be turned to by hand; missing where it is so, or becomes so by itself. */
  readonly to?: 'On' | 'Observe';
  /** Whether that must be done before the operator runs: what is to do less must do so from its first moment. */
  readonly isFirst: boolean;
  /** What it is once all is done. */
  readonly mode: string;
  /** A sentence for people. */
  readonly text: string;
}

const effect: Readonly<Record<Mode, string>> = {
  Off: 'it does nothing',
  Observe: 'it only says what it would do',
  On: 'it repairs',
};

export function planSwitch({ wanted, live, before }: Known): SwitchPlan {
  const there = live?.mode ?? (before ? (before.first ?? 'On') : undefined);
  const mode = wanted ?? there ?? 'Observe';
  const first = before ? before.first : mode;
  const isFirst = live !== undefined && wanted === 'Observe';
  const means = effect[mode as Mode] ?? '';
  const soon = mode === 'On' ? ' from the first moment' : '';
  if (there === undefined)
    return { first, mode, isFirst, text: `the switch of the cluster: ${mode}, so ${means}${soon}` };
  const who = live?.by ? `, set by ${live.by}` : '';
  if (there !== mode && wanted) {
    return {
      first,
      mode,
      isFirst,
      to: wanted,
      text: `the switch of the cluster: ${there}${who} → ${mode}, so ${means}`,
    };
  }
  const other = mode === 'On' ? '--observe' : '--on';
  const hint = wanted ? '' : `; ${other} turns it`;
  return { first, mode, isFirst, text: `the switch of the cluster is ${mode}${who}, and stays: ${means}${hint}` };
}
