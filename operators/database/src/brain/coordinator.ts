/**
 * What the operator does next about who leads: at most one write of the record, by compare-and-set from the one that was read. Pure. It
 * fences first and chooses second: a candidate is looked for only among those who are frozen, and named only once the last holder can
 * run no more.
 */
import { choose, frozenOf } from './choose.ts';
import type { FreezeAnswer } from './messages.ts';
import { coversFreeze } from './quorum.ts';
import { type ClusterRecord, hasBegun, isSameSet, type SyncSet, setsOf } from './record.ts';
import type { Times } from './times.ts';

/** What an instance says when it is asked how it is, within the last seconds. Whoever gives no answer is not there. */
export interface Look {
  /** The epoch whose holder it is, as primary, or receives from, without having fallen behind; undefined: neither. */
  readonly streams: number | undefined;
  /** It has let a primary run on, and that lives. */
  readonly grants: boolean;
  /** Of a primary: commits wait for others, and have for too long. */
  readonly stuck: boolean;
}

/** What is wanted of a cluster. */
export interface Wishes {
  /** All instances that there are to be. */
  readonly instances: readonly string[];
  /** `required`: a commit always waits for `synchronous` standbys; `preferred`: for as many of these as there are. */
  readonly durability: 'required' | 'preferred';
  readonly synchronous: number;
  /** Who is to lead. */
  readonly switchTo: string | undefined;
  /** The holder is to be fenced at once. */
  readonly fence: boolean;
}

/** Everything that the coordinator decides by. */
export interface CoordinatorView {
  /** By this process' own clock. */
  readonly now: number;
  readonly times: Times;
  readonly record: ClusterRecord;
  /** Since when this process itself has seen that renewal, and no later one. */
  readonly sighting: { readonly renewal: number; readonly since: number } | undefined;
  /** The last that each instance has said. */
  readonly answers: readonly FreezeAnswer[];
  readonly looks: ReadonlyMap<string, Look>;
  readonly wishes: Wishes;
}

export type Step =
  | { readonly do: 'write'; readonly record: ClusterRecord; readonly why: string }
  /** Ask everybody to freeze for the epoch of the record. */
  | { readonly do: 'ask'; readonly why: string }
  | { readonly do: 'wait'; readonly why: string };

/** The record of a cluster that has none yet, nor data. */
export const firstRecord = (holder: string): ClusterRecord => ({
  epoch: 1,
  stage: 'Promoting',
  holder,
  renewal: 0,
  released: false,
  lines: [],
  served: undefined,
  sets: [],
  next: undefined,
  preferred: undefined,
});

export function nextStep(view: CoordinatorView): Step {
  if (view.record.stage === 'Freezing') return promotion(view);
  return fencing(view) ?? durability(view) ?? handover(view) ?? { do: 'wait', why: 'as wanted' };
}

/** What was seen last, with what is seen now. */
export const sightingAfter = (
  { sighting, now }: Pick<CoordinatorView, 'sighting' | 'now'>,
  { renewal }: ClusterRecord,
): CoordinatorView['sighting'] => (sighting?.renewal === renewal ? sighting : { renewal, since: now });

/** The last holder's time is up: it has sent no renewal for as long as it could run on by the last one, and longer. */
const hasLapsed = ({ record, sighting, now, times }: CoordinatorView): boolean =>
  sighting?.renewal === record.renewal && now - sighting.since >= times.wait;

/** The last holder can't run any more: its time is up, or it says so itself. */
const isFencedByTime = (view: CoordinatorView): boolean =>
  view.record.released ||
  frozenOf(view.record, view.answers).some(({ from }) => from === view.record.holder) ||
  hasLapsed(view);

function promotion(view: CoordinatorView): Step {
  const { record, answers } = view;
  const chosen = choose(record, answers);
  if (!chosen) return beginAnew(view) ?? { do: 'ask', why: 'too few are frozen to know what was acknowledged' };
  if (!isFencedByTime(view)) return { do: 'ask', why: `${record.holder} may still run by its lease` };
  return { do: 'write', record: promoting(record, chosen), why: `${chosen.from} has all that was acknowledged` };
}

const promoting = (
  record: ClusterRecord,
  { from, lines }: Pick<ClusterRecord, 'lines'> & { from: string },
): ClusterRecord => ({
  ...record,
  stage: 'Promoting',
  holder: from,
  renewal: record.renewal + 1,
  released: false,
  lines,
});

/** Nothing was ever served, and there is no data anywhere: the first instance makes it once more. */
function beginAnew({ record, answers, wishes }: CoordinatorView): Step | undefined {
  const [first] = wishes.instances;
  const empty = (name: string) =>
    answers.some(
      (said) => said.from === name && said.epoch === record.epoch && said.answer === 'refused' && said.why === 'broken',
    );
  if (record.served || first === undefined || !wishes.instances.every(empty)) return undefined;
  return { do: 'write', record: promoting(record, { from: first, lines: [] }), why: 'there is no data yet' };
}

/** Whether the epoch is over, and it can be ended: nobody is stopped where nobody else could go on. */
function fencing(view: CoordinatorView): Step | undefined {
  const { record, looks } = view;
  const why = whyOver(view);
  if (!why) return undefined;
  if (!canGoOn(view)) return { do: 'wait', why: `${why}, and too few others answer` };
  if (!record.released && [...looks.values()].some(({ grants }) => grants) && !view.wishes.fence) {
    return { do: 'wait', why: `${why}, but standbys let ${record.holder} run on` };
  }
  // What never served has acknowledged nothing, whatever it was to go by.
  const sets = setsOf(record);
  return { do: 'write', record: { ...record, epoch: record.epoch + 1, stage: 'Freezing', sets, next: undefined }, why };
}

function whyOver(view: CoordinatorView): string | undefined {
  const { record, wishes, looks } = view;
  if (wishes.fence) return `${record.holder} is to be fenced`;
  if (record.released) return `${record.holder} has let go of its lease`;
  if (hasLapsed(view)) return `${record.holder} does not renew its lease`;
  return looks.get(record.holder)?.stuck ? `commits on ${record.holder} are not acknowledged` : undefined;
}

function canGoOn({ record, looks }: CoordinatorView): boolean {
  const others = new Set([...looks.keys()].filter((name) => name !== record.holder));
  const all = new Set(looks.keys());
  const isOwnWord = record.served !== undefined && all.has(record.served.holder);
  return others.size > 0 && (coversFreeze(setsOf(record), all) || isOwnWord);
}

/** The set that commits are to wait for. What was to be, and is not said to be yet, stays in force beside it. */
function durability(view: CoordinatorView): Step | undefined {
  const { record } = view;
  const { stage, sets, next } = record;
  // A holder that is away may have gone by whatever was written for it.
  if (!hasBegun(record) || view.looks.get(record.holder)?.streams !== record.epoch) return undefined;
  const wanted = wantedSet(view);
  const target = next ?? (stage === 'Serving' ? sets.at(-1) : undefined);
  if (!wanted || isSameSet(target, wanted)) return undefined;
  const why = `commits are to wait for ${wanted.k} of ${wanted.names}`;
  return { do: 'write', record: { ...record, sets: setsOf(record), next: wanted }, why };
}

/** Those who stream now. Of too few nothing is made where they are required: commits wait, and that is what was asked for. */
function wantedSet({ record, looks, wishes }: CoordinatorView): SyncSet | undefined {
  const names = wishes.instances.filter((name) => name !== record.holder && looks.get(name)?.streams === record.epoch);
  const asked = Math.min(wishes.synchronous, wishes.instances.length - 1);
  if (names.length < asked && wishes.durability === 'required') return undefined;
  const k = Math.min(asked, names.length);
  return { names: k === 0 ? [] : names, k };
}

function handover({ record, wishes: { switchTo }, looks }: CoordinatorView): Step | undefined {
  if (record.stage !== 'Serving' || record.next) return undefined;
  const able = switchTo !== undefined && switchTo !== record.holder && looks.get(switchTo)?.streams === record.epoch;
  const preferred = able ? switchTo : undefined;
  if (preferred === record.preferred) return undefined;
  const why = preferred ? `${preferred} is to lead` : `${record.preferred} can't lead now`;
  return { do: 'write', record: { ...record, preferred }, why };
}
