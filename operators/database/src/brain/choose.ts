/** Who is promoted: one of those who are frozen, and known to have all that was acknowledged. */
import { type Position, positionOf, reaches } from './log.ts';
import type { FreezeAnswer, Frozen } from './messages.ts';
import { coversFreeze } from './quorum.ts';
import type { ClusterRecord } from './record.ts';

/** Those of the answers that are for this epoch. */
export const frozenOf = ({ epoch }: ClusterRecord, answers: readonly FreezeAnswer[]): readonly Frozen[] =>
  answers.flatMap((answer) => (answer.answer === 'frozen' && answer.epoch === epoch ? [answer] : []));

/**
 * Three ways to know what was acknowledged: so many are frozen that every commit is on one of them, then it is what the furthest of these
 * has; or the data of whoever served last has answered, which has them all; or somebody has what was written after it. Undefined where
 * none of them is so.
 */
export function choose(record: ClusterRecord, answers: readonly FreezeAnswer[]): Frozen | undefined {
  const frozen = frozenOf(record, answers);
  const needed = neededPosition(record, frozen);
  const able = frozen.filter((answer) => reaches(at(answer), needed));
  const preferred = able.find(({ from }) => from === record.preferred && from !== record.holder);
  return (
    preferred ??
    able.reduce<Frozen | undefined>((best, next) => (best && isBetter(best, next, record) ? best : next), undefined)
  );
}

/** All that counts is in a log that reaches that far. */
function neededPosition(record: ClusterRecord, frozen: readonly Frozen[]): Position {
  const { sets, served } = record;
  if (!served) return { epoch: 0, lsn: 0 };
  // Whoever was promoted since was chosen for having all of it, and what was written since is after that.
  const needs: Position[] = [{ epoch: served.epoch + 1, lsn: 0 }];
  if (coversFreeze(sets, new Set(frozen.map(({ from }) => from)))) {
    const names = new Set(sets.flatMap((set) => set.names));
    needs.push(furthest(frozen.filter(({ from }) => names.has(from)).map(at)));
  }
  needs.push(...frozen.filter(({ led = 0 }) => led >= served.epoch).map(at));
  // Any of them is enough: the nearest one leaves most to choose from.
  return needs.reduce((a, b) => (reaches(b, a) ? a : b));
}

const at = ({ lines, lsn }: Frozen): Position => positionOf(lines, lsn);

const furthest = (positions: readonly Position[]): Position =>
  positions.reduce((a, b) => (reaches(a, b) ? a : b), { epoch: 0, lsn: 0 });

/** Who has led and failed comes after who has the same; else the longer log, for what was not acknowledged may be wanted too. */
function isBetter(one: Frozen, other: Frozen, { holder }: ClusterRecord): boolean {
  if ((one.from === holder) !== (other.from === holder)) return other.from === holder;
  return reaches(at(one), at(other));
}
