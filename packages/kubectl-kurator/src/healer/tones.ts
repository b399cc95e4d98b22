/** Which words are good news, and which are not. */
import type { Tone } from '@kurator/command';

const tones: Readonly<Record<string, Tone>> = {
  Healthy: 'good',
  Suspect: 'busy',
  Degraded: 'busy',
  Repairing: 'busy',
  Down: 'bad',
  HandedOver: 'bad',
  Quarantined: 'bad',
  Paused: 'dim',
  Unknown: 'dim',
  // The stages of an incident.
  suspected: 'busy',
  confirmed: 'busy',
  waitingForDependency: 'busy',
  tellingDependants: 'busy',
  proposed: 'bad',
  repairing: 'busy',
  verifying: 'busy',
  yielded: 'busy',
  recovered: 'good',
  handedOver: 'bad',
  quarantined: 'bad',
  dismissed: 'dim',
  withdrawn: 'dim',
  closed: 'dim',
};

/** The colour of a word that says how something is. */
export function toneOf(word: string | undefined): Tone | undefined {
  return tones[word ?? ''];
}
