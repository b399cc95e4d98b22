/**
 * What is done next about one ImageUpdate. Pure. At most one thing is done in a pass, and only what an earlier pass has written down:
 *
 *   nothing ──newer, allowed──► Writing ──written──► Judging ──well for long enough──► nothing (Accepted)
 *                                                       └──bad──► RollingBack ──the image before is there──► nothing (quarantined)
 *
 * An image that is neither what was known nor what is being written is somebody else's word: everything is held.
 */
import { type Gates, immature, outOfTime, unapproved } from './gates.ts';
import { digestOf, pinned, tagOf } from './image-text.ts';
import {
  type Memory,
  MOST_QUARANTINED,
  type Offer,
  type Outcome,
  quarantining,
  remembering,
  type Update,
} from './memory.ts';
import type { Policy } from './policy.ts';

/** How what was rolled out does: by whoever judges. */
export interface Verdict {
  /** `unsettled`: not well yet, or no longer; it may still become well. */
  readonly is: 'well' | 'ill' | 'unsettled';
  readonly why: string;
  /** Nothing has run yet that could be judged, and it may be long before something does: no deadline holds. */
  readonly isEarly?: boolean;
}

/** What the registry says. */
export type Sight =
  /** Nobody knows: it can't be asked, or its list does not fit what runs. */
  | { readonly is: 'unknown'; readonly why: string }
  /** What is newer than what runs, newest first; for the policy `digest` what the tag stands for now. */
  | { readonly is: 'known'; readonly newer: readonly { readonly tag: string; readonly digest: string }[] };

/** All that a decision is made of. */
export interface Situation {
  readonly now: number;
  readonly policy: Policy;
  readonly gates: Gates;
  /** In milliseconds. */
  readonly judgement: { readonly for: number; readonly deadline: number };
  readonly suspend: boolean;
  readonly dryRun: boolean;
  /** The image's text in the workload; undefined where there is none. */
  readonly image: string | undefined;
  /** The digest that runs, where the text does not say so. */
  readonly runningDigest?: string | undefined;
  /** Why the workload can't be updated. */
  readonly obstacle?: string | undefined;
  readonly sight: Sight;
  /** Of what was written; only asked for while something is being judged. */
  readonly verdict?: Verdict | undefined;
  /** Whether pods still run what was rolled back. */
  readonly leftovers: boolean;
  readonly annotations: {
    readonly approve?: string | undefined;
    readonly resume?: string | undefined;
    readonly lift?: string | undefined;
  };
  readonly memory: Memory;
}

export type Phase =
  | 'UpToDate'
  | 'Waiting'
  | 'Writing'
  | 'Judging'
  | 'RollingBack'
  | 'Held'
  | 'Unknown'
  | 'DryRun'
  | 'Suspended';

/** What somebody should hear of. */
export interface Telling {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** What is to be done, remembered and said. */
export interface Decision {
  readonly phase: Phase;
  readonly why: string;
  readonly memory: Memory;
  /** The image's text, from what to what. Only what is already remembered. */
  readonly write?: { readonly from: string; readonly to: string } | undefined;
  readonly candidate?: Offer | undefined;
  /** When to think again, beside the next look at the registry. */
  readonly until?: number | undefined;
  readonly tell: readonly Telling[];
}

/** How soon what was written is looked at again. */
const SOON = 1000;
const LATER = 60_000;

export function decide(situation: Situation): Decision {
  const { suspend, image, obstacle, now } = situation;
  if (suspend) return { ...rest(situation.memory, 'Suspended', 'spec.suspend is true: nothing is done'), tell: [] };
  const { memory, tell } = heeding(situation);
  const say = (decision: Decision): Decision => ({ ...decision, tell: [...tell, ...decision.tell] });
  if (image === undefined) return say(rest(memory, 'Unknown', obstacle ?? 'there is no such workload'));
  if (memory.hold) return say(rest(memory, 'Held', memory.hold.why));
  if (memory.update) return say(goOn(situation, memory, memory.update, image));
  if (memory.known !== undefined && memory.known !== image) return say(hold(situation, memory, image, now));
  const first = memory.known === image ? memory : { ...memory, known: image };
  if (obstacle !== undefined) return say(rest(first, 'Waiting', obstacle));
  return say(seek(situation, first, image));
}

function rest(memory: Memory, phase: Phase, why: string, until?: number): Decision {
  return { phase, why, memory, until, tell: [] };
}

/** What people have said since: each annotation counts once, and again after it was taken away. */
function heeding({ memory: before, annotations, image }: Situation): Pick<Decision, 'memory' | 'tell'> {
  const tell: Telling[] = [];
  let memory: Memory = { ...before, resumed: annotations.resume, lifted: annotations.lift };
  if (memory.hold && annotations.resume !== undefined && annotations.resume !== before.resumed && image !== undefined) {
    memory = { ...memory, hold: undefined, known: image };
    tell.push({ type: 'Normal', reason: 'Resumed', message: `somebody has said to go on from ${image}` });
  }
  if (annotations.lift !== undefined && annotations.lift !== before.lifted) {
    const named = annotations.lift.split(/[\s,]+/);
    const isLifted = (digest: string) => named.includes('all') || named.includes(digest);
    const lifted = memory.quarantine.filter(({ digest }) => isLifted(digest));
    memory = { ...memory, quarantine: memory.quarantine.filter(({ digest }) => !isLifted(digest)) };
    for (const { tag, digest } of lifted) {
      tell.push({ type: 'Normal', reason: 'QuarantineLifted', message: `${tag} (${digest}) may be rolled out again` });
    }
  }
  return { memory, tell };
}

const GO_ON =
  'to go on from there, annotate this ImageUpdate with delivery.kurator.sh/resume=TEXT, any that was not there before';

/** Somebody else has the last word. Where he went back to what was there before, what he left is as bad as if it were judged so. */
function hold({ now }: Situation, memory: Memory, image: string, since: number): Decision {
  const { known = '', history } = memory;
  const [last] = history;
  const isRollback = last?.outcome === 'Accepted' && last.to === known && last.from === image;
  const why = `somebody has changed the image from ${known} to ${image}; ${GO_ON}`;
  const said = isRollback ? `somebody has gone back to ${image}` : '';
  const left = isRollback ? quarantining(memory, { digest: last.digest, tag: last.tag, at: now, why: said }) : memory;
  return {
    ...rest({ ...left, hold: { image, since, why }, offers: [] }, 'Held', why),
    tell: [{ type: 'Warning', reason: 'Held', message: why }],
  };
}

function seek(situation: Situation, before: Memory, image: string): Decision {
  const { sight, gates, now, annotations, dryRun } = situation;
  if (sight.is === 'unknown') return rest(before, 'Unknown', sight.why);
  const offers = sight.newer
    .filter(({ digest }) => digest !== runningDigest(situation, image))
    .map(({ tag, digest }): Offer => {
      const seen = before.offers.find((offer) => offer.tag === tag && offer.digest === digest);
      return { tag, digest, firstSeen: seen?.firstSeen ?? now };
    });
  const memory = sameOffers(before.offers, offers) ? before : { ...before, offers };
  const isBad = ({ digest }: Offer) => memory.quarantine.some((bad) => bad.digest === digest);
  const good = memory.offers.filter((offer) => !isBad(offer));
  const [newest] = good;
  if (!newest) {
    const [bad] = memory.offers;
    const why = bad
      ? `${bad.tag} (${bad.digest}) is newer, and quarantined: to lift that, annotate with delivery.kurator.sh/lift=${bad.digest}`
      : `nothing is newer than ${tagOf(image) ?? image}`;
    return rest(memory, 'UpToDate', why);
  }
  if (memory.quarantine.length >= MOST_QUARANTINED) {
    const why = `${MOST_QUARANTINED} images are quarantined: lift those that are of no more concern, delivery.kurator.sh/lift=DIGEST or all`;
    return rest(memory, 'Waiting', why);
  }
  const ripe = good.find(({ firstSeen }) => !immature(gates, firstSeen, now));
  const candidate = ripe ?? newest;
  const closed =
    // Whichever is ripe first is taken: the newest may be too young for as long as newer ones keep coming.
    immature(gates, Math.min(...good.map(({ firstSeen }) => firstSeen)), now) ??
    outOfTime(gates, now) ??
    unapproved(gates, annotations.approve, candidate.digest);
  const named = `${candidate.tag} (${candidate.digest})`;
  if (closed) return { ...rest(memory, 'Waiting', `${named} waits: ${closed.why}`, closed.until), candidate };
  if (dryRun) return { ...rest(memory, 'DryRun', `${named} would be rolled out; spec.dryRun is true`), candidate };
  return plan(situation, memory, image, candidate);
}

function runningDigest({ runningDigest }: Situation, image: string): string | undefined {
  // What is written without a digest is pinned as soon as there is a reason to write it at all.
  return digestOf(image) ?? runningDigest;
}

const sameOffers = (a: readonly Offer[], b: readonly Offer[]): boolean =>
  a.length === b.length && a.every(({ tag, digest }, at) => b[at]?.tag === tag && b[at]?.digest === digest);

function plan(situation: Situation, memory: Memory, image: string, candidate: Offer): Decision {
  const { now } = situation;
  const { tag, digest } = candidate;
  const digestBefore = runningDigest(situation, image);
  const back = digestBefore === undefined ? image : pinned(image, tagOf(image), digestBefore);
  const update: Update = {
    stage: 'Writing',
    tag,
    digest,
    from: image,
    to: pinned(image, tag, digest),
    back,
    since: now,
  };
  const why = `${image} is to be replaced by ${update.to}`;
  return { ...rest({ ...memory, update }, 'Writing', why, now), candidate };
}

function goOn(situation: Situation, memory: Memory, update: Update, image: string): Decision {
  // `from` and `back` may be one text, and so may `to` and `back`, where a moved tag was not pinned.
  const expected = update.stage === 'Writing' ? [update.from, update.to] : [update.to, update.back];
  if (!expected.includes(image)) return superseded(situation, memory, update, image);
  switch (update.stage) {
    case 'Writing':
      return writing(situation, memory, update, image);
    case 'Judging':
      return image === update.to ? judging(situation, memory, update) : superseded(situation, memory, update, image);
    case 'RollingBack':
      return rollingBack(situation, memory, update, image);
  }
}

function writing({ now, dryRun, judgement }: Situation, memory: Memory, update: Update, image: string): Decision {
  if (image === update.to) {
    const why = `${update.to} was written, and is judged`;
    return {
      ...rest(
        { ...memory, known: update.to, update: { ...update, stage: 'Judging', since: now } },
        'Judging',
        why,
        now + SOON,
      ),
      tell: [{ type: 'Normal', reason: 'UpdateStarted', message: `${update.from} was replaced by ${update.to}` }],
    };
  }
  if (dryRun) return over(memory, update, { outcome: 'NotWritten', why: 'spec.dryRun became true', now, known: image });
  if (now - update.since > judgement.deadline) {
    return over(memory, update, { outcome: 'NotWritten', why: 'it could not be written in time', now, known: image });
  }
  const why = `${image} is being replaced by ${update.to}`;
  return { ...rest(memory, 'Writing', why, now + SOON), write: { from: update.from, to: update.to } };
}

function judging(situation: Situation, memory: Memory, update: Update): Decision {
  const { now, verdict, judgement } = situation;
  if (!verdict) return rest(memory, 'Judging', `${update.tag} is judged`, now + SOON);
  if (verdict.is === 'ill') return condemn(memory, update, verdict.why, now);
  if (verdict.is === 'well') {
    const since = update.wellSince ?? now;
    if (now - since >= judgement.for) {
      return over(memory, update, { outcome: 'Accepted', why: verdict.why, now, known: update.to });
    }
    const judged = update.wellSince === since ? memory : { ...memory, update: { ...update, wellSince: since } };
    return rest(
      judged,
      'Judging',
      `${update.tag} does well: ${verdict.why}`,
      Math.min(now + SOON, since + judgement.for),
    );
  }
  if (!verdict.isEarly && now - update.since >= judgement.deadline) {
    return condemn(memory, update, `it did not do well in time: ${verdict.why}`, now);
  }
  const restless = update.wellSince === undefined ? memory : { ...memory, update: { ...update, wellSince: undefined } };
  return rest(restless, 'Judging', `${update.tag} is judged: ${verdict.why}`, now + (verdict.isEarly ? LATER : SOON));
}

/** Written down together: that it is bad, and that it is to be undone. */
function condemn(before: Memory, update: Update, why: string, now: number): Decision {
  const { tag, digest } = update;
  const memory = quarantining(before, { digest, tag, at: now, why });
  return {
    ...rest({ ...memory, update: { ...update, stage: 'RollingBack', since: now, why } }, 'RollingBack', why, now),
    tell: [
      { type: 'Warning', reason: 'Quarantined', message: `${tag} (${digest}) is bad, and is rolled back: ${why}` },
    ],
  };
}

function rollingBack(situation: Situation, memory: Memory, update: Update, image: string): Decision {
  const { now, leftovers, judgement } = situation;
  const { to, back, why = '' } = update;
  if (image !== back) {
    return { ...rest(memory, 'RollingBack', `back to ${back}: ${why}`, now + SOON), write: { from: to, to: back } };
  }
  // A node that is gone keeps its pods for as long as it likes: they are waited for, not for ever.
  if (leftovers && now - update.since < judgement.deadline) {
    const waiting = `${back} was written; pods of ${update.tag} are still there`;
    return rest(memory.known === back ? memory : { ...memory, known: back }, 'RollingBack', waiting, now + SOON);
  }
  return over(memory, update, { outcome: 'RolledBack', why, now, known: back });
}

interface End {
  readonly outcome: Outcome;
  readonly why: string;
  readonly now: number;
  readonly known: string;
}

const endings: Readonly<Record<Outcome, Telling['reason']>> = {
  Accepted: 'Updated',
  RolledBack: 'RolledBack',
  Superseded: 'Superseded',
  NotWritten: 'NotWritten',
};

function over(before: Memory, update: Update, { outcome, why, now, known }: End): Decision {
  const { tag, digest, from, to, back } = update;
  const memory = remembering(
    { ...before, update: undefined, offers: [], known },
    { tag, digest, from, to, at: now, outcome, why },
  );
  const message = outcome === 'RolledBack' ? `back from ${to} to ${back}: ${why}` : `${to}: ${why}`;
  const type = outcome === 'Accepted' ? 'Normal' : 'Warning';
  return { ...rest(memory, 'UpToDate', message, now), tell: [{ type, reason: endings[outcome], message }] };
}

/** Somebody went on or back while it was being written or judged: his word counts, and nothing is known of what he left. */
function superseded(situation: Situation, memory: Memory, update: Update, image: string): Decision {
  const { now } = situation;
  const why = `somebody has written ${image} meanwhile`;
  const ended = over(memory, update, { outcome: 'Superseded', why, now, known: update.to }).memory;
  const isRollback = update.stage === 'Judging' && image === update.from;
  const { tag, digest } = update;
  const left = isRollback
    ? quarantining(ended, { digest, tag, at: now, why: `somebody has gone back to ${image}` })
    : ended;
  return hold(situation, left, image, now);
}
