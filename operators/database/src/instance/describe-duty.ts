/** A duty in words, as the log and the status have it. */
import type { Duty } from '../brain/duty.ts';

export function describeDuty(what: Duty): string {
  switch (what.do) {
    case 'stop':
    case 'shut-down':
      return `stops: ${what.why}`;
    case 'hold':
      return `waits: ${what.why}`;
    case 'follow':
      return `follows ${what.holder}`;
    case 'rewind':
      return `rewinds to ${what.holder}`;
    case 'clone':
      return `clones ${what.holder}`;
    default:
      return words[what.do];
  }
}

const words = {
  lead: 'leads',
  acquire: 'waits for the lease',
  release: 'lets go of the lease',
  initialise: 'makes the database',
  promote: 'is promoted',
  begin: 'begins an epoch',
  freeze: 'freezes',
} as const;
