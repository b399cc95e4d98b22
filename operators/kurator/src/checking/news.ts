/** Whether a check's result deserves a thought. Most don't: all is well, and was well before. */
import type { CheckResult } from '../brain/observation.ts';
import type { Perception } from '../brain/perception/perception.ts';
import type { Mind } from '../healing/mind.ts';

/** @param before What was in mind before this result; the mind has it already. */
export function isNews({ perception, memory, evidence }: Mind, before: Perception, result: CheckResult): boolean {
  if (result.outcome === 'unknown') return false;
  // While anything is not as it should be, every answer may be the one that was waited for.
  if (result.outcome === 'failing' || memory?.history.incident || evidence?.condition !== 'up') return true;
  const now = perception.targets[result.target];
  const was = before.targets[result.target];
  const track = now?.checks[result.check];
  const wasTrack = was?.checks[result.check];
  if (track?.verdict !== wasTrack?.verdict || (wasTrack?.failures ?? 0) > 0) return true;
  if ((track?.tempo.slow ?? 0) > 0 || (wasTrack?.tempo.slow ?? 0) > 0) return true;
  if (track?.certificateExpiresAt !== wasTrack?.certificateExpiresAt) return true;
  return Object.entries(now?.paths ?? {}).some(([from, { verdict }]) => verdict !== was?.paths[from]?.verdict);
}
