/** Where an operator is to be killed, and which of all such places are tried. */
import { TestenvError } from '../../error.ts';

/** Where, seen from one write. */
export type CrashMoment = (typeof moments)[number];
export const moments = ['before', 'during', 'after'] as const;

/** One place: `during apply deployments.apps/web #2`. */
export interface Plan {
  /** With its number: `apply deployments.apps/web #2`. */
  readonly write: string;
  readonly when: CrashMoment;
}

/** As a person reads it, and types it to try it again. */
export function planText({ when, write }: Plan): string {
  return `${when} ${write}`;
}

/** All of them for these writes. */
export function allPlans(writes: readonly string[]): Plan[] {
  return writes.flatMap((write) => moments.map((when) => ({ write, when })));
}

/**
 * A part of them, always the same for a seed: every write once before any write twice, so that also a small part has
 * something of each.
 */
export function shareOf(plans: readonly Plan[], share: number, seed: number): Plan[] {
  const chance = chances(seed);
  const shuffled = plans.map((plan) => ({ plan, order: chance() })).sort((a, b) => a.order - b.order);
  const rounds = new Map<string, number>();
  const dealt = shuffled.map(({ plan }) => {
    const round = rounds.get(plan.write) ?? 0;
    rounds.set(plan.write, round + 1);
    return { plan, round };
  });
  const chosen = dealt
    .toSorted((a, b) => a.round - b.round)
    .slice(0, Math.ceil(share * plans.length))
    .map(({ plan }) => plan);
  return plans.filter((plan) => chosen.includes(plan));
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function chances(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The environment variable that asks for all plans, or for one: `NAME: during apply deployments.apps/web #2`. */
export const variable = 'KURATOR_CRASH';

/** What {@link variable} asks of a test of this name; `skip` when it asks for something of another. */
export function asked(
  name: string,
  plans: readonly Plan[],
  value = process.env[variable],
): Plan[] | 'skip' | undefined {
  if (!value) return undefined;
  if (value === 'all') return [...plans];
  if (!value.startsWith(`${name}: `)) return 'skip';
  const text = value.slice(name.length + 2);
  const found = plans.filter((plan) => planText(plan) === text);
  if (found.length > 0) return found;
  throw new TestenvError('KUR_TESTENV_CRASH_PLAN', `${variable}: the operator does not write "${text}" here`, {
    remedy: `say when and what, for example: ${plans.slice(0, 3).map(planText).join('; ')}`,
  });
}
