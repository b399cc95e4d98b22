/**
 * The authorities of one service, and how one follows another without a failed handshake:
 *
 *   begin      a new authority joins the ring: it is trusted, and signs nothing yet
 *   announce   everybody who verifies is known to trust it: the overlap begins, for those of whom nothing is known
 *   promote    it signs from now on; the old authority gives up its key, and is still trusted
 *   settle     nobody shows anything signed by the old authority any more: the overlap begins, as above
 *   retire     the old authority is forgotten
 *
 * A step is decided from what is stored and seen at that moment, and is one write. Whoever crashes, comes late or comes twice
 * decides the same again. No step is taken because time has passed that nobody was seen to use: a wait that lasts is told.
 */
import type { Certificate } from './certificate.ts';
import type { KeyPair } from './key-pair.ts';

/** The authorities of one service: what must be kept, and kept secret. */
export interface Ring {
  /** Signs what is issued now. */
  readonly authority: KeyPair;
  /** Is trusted beside it, and will sign once everybody does. */
  readonly next?: {
    readonly authority: KeyPair;
    /** Since when everybody is known to trust it, in milliseconds since 1970. */
    readonly announcedAt?: number;
  };
  /**
   * Have signed before, and are trusted for as long as somebody may show what they signed. Their keys are gone. It is one, unless
   * the authority that followed it had to be replaced before everybody had something by it.
   */
  readonly previous?: {
    readonly certificates: readonly Certificate[];
    /** When they are forgotten, in milliseconds since 1970; undefined while somebody shows what they signed. */
    readonly until?: number;
  };
}

/** One change of a {@link Ring}. */
export type Step = 'begin' | 'announce' | 'promote' | 'settle' | 'retire';

/** How quickly things follow each other. */
export interface Policy {
  /** Milliseconds that a certificate in use is made for: decides whether a new one would last longer. */
  readonly lifetime: number;
  /**
   * Milliseconds that are waited once everybody is known to trust an authority, and once nobody is known to need it: for those
   * of whom nothing can be known. 0 unless given, which is right where everybody is seen.
   */
  readonly overlap?: number;
  /** After which part of its lifetime a certificate is replaced: ⅔ unless given. */
  readonly renewAfter?: number;
  /** By which part of its lifetime that may be earlier, so that not all are replaced at once: 0.05 unless given. */
  readonly jitter?: number;
}

/** Who verifies certificates. */
export interface Verifier {
  readonly name: string;
  /**
   * The {@link Certificate.keyId}s of the authorities that it trusts at this moment: what its process has loaded, not what lies in
   * its Secret. Undefined if that is not known.
   */
  readonly trusts: readonly string[] | undefined;
}

/** Who shows a certificate. */
export interface Holder {
  readonly name: string;
  /** What is stored for it; undefined: nothing yet. */
  readonly stored: Certificate | undefined;
  /**
   * The {@link Certificate.issuerKeyId}s of what it may show at this moment: what its process has loaded, not what lies in its Secret.
   * Undefined if that is not known.
   */
  readonly shows: readonly string[] | undefined;
}

/**
 * What is seen of those who use the certificates. Whoever is left out is not waited for: that is right for one that surely does not
 * run, and will start with what is stored for it then.
 */
export interface Observed {
  readonly verifiers: readonly Verifier[];
  readonly holders: readonly Holder[];
}

/** Something that a person should know: nothing is skipped for it. */
export interface Concern {
  readonly kind: 'clock' | 'expired' | 'late';
  readonly message: string;
}

/** What is to be done now; {@link plan} makes it. */
export interface Plan {
  /** Is due; {@link take} takes it. */
  readonly step: Step | undefined;
  /** The holders that are to get a new certificate by the ring's authority. */
  readonly renew: readonly string[];
  /** The verifiers or holders that a step waits for. */
  readonly waitingFor: readonly string[];
  readonly concerns: readonly Concern[];
  /** When something will be due though nothing else changes, in milliseconds since 1970; infinite: never. */
  readonly next: number;
}

const NEVER = Number.POSITIVE_INFINITY;
const AFTER = 2 / 3;
const JITTER = 0.05;
/** From when on a change of authorities that has not come to its end is told. */
const LATE = 0.9;

/** All authorities that are to be trusted, as PEM. In an order that a promotion doesn't change: one write less. */
export function bundleOf(ring: Ring): string {
  return trustedOf(ring)
    .map(({ pem }) => pem)
    .sort()
    .join('');
}

/** What is to be done now, and by when to ask again at the latest. */
export function plan(ring: Ring, observed: Observed, policy: Policy, now: number): Plan {
  const { step, waitingFor, next } = stageOf(ring, observed, policy, now);
  const renewals = observed.holders.map((holder) => ({ ...holder, at: renewalOf(ring, holder, policy, now) }));
  return {
    step,
    renew: renewals.filter(({ at }) => at <= now).map(({ name }) => name),
    waitingFor,
    concerns: [...concernsOf(ring, waitingFor, now), ...observed.holders.flatMap((holder) => worriesOf(holder, now))],
    next: Math.min(next, ...renewals.map(({ at }) => at).filter((at) => at > now)),
  };
}

/**
 * The ring after a step; the same ring where the step makes no sense.
 *
 * @param make a new authority, of a name and lifetime that the caller knows.
 */
export function take(step: Step, ring: Ring, policy: Policy, now: number, make: () => KeyPair): Ring {
  const { authority, next, previous } = ring;
  switch (step) {
    case 'begin':
      return { ...ring, next: { authority: make() } };
    case 'announce':
      return next ? { ...ring, next: { ...next, announcedAt: now } } : ring;
    case 'promote':
      if (!next) return ring;
      return {
        authority: next.authority,
        previous: { certificates: [authority.certificate, ...(previous?.certificates ?? [])] },
      };
    case 'settle':
      return previous ? { ...ring, previous: { ...previous, until: now + overlapOf(policy) } } : ring;
    case 'retire':
      return { authority, ...(next && { next }) };
  }
}

/**
 * When a certificate is to be replaced, in milliseconds since 1970. The jitter comes from the certificate itself, so it is the
 * same whoever asks and whenever.
 */
export function renewalTime(
  certificate: Certificate,
  { renewAfter = AFTER, jitter = JITTER }: Partial<Policy> = {},
): number {
  const { from, until, fingerprint } = certificate;
  const chance = Number.parseInt(fingerprint.slice(0, 8), 16) / 2 ** 32;
  return Math.round(from + (until - from) * (renewAfter - jitter * chance));
}

interface Stage {
  readonly step: Step | undefined;
  readonly waitingFor: readonly string[];
  readonly next: number;
}

const due = (step: Step): Stage => ({ step, waitingFor: [], next: NEVER });
const waiting = (waitingFor: readonly string[]): Stage => ({ step: undefined, waitingFor, next: NEVER });
const at = (time: number, step: Step, now: number): Stage =>
  time <= now ? due(step) : { step: undefined, waitingFor: [], next: time };

function stageOf(ring: Ring, observed: Observed, policy: Policy, now: number): Stage {
  const { authority, next, previous } = ring;
  const signer = authority.certificate;
  if (next) return spreading(next, signer, observed, policy, now);
  const begin = at(signer.from > now ? now : renewalTime(signer, policy), 'begin', now);
  // What can sign no more, or not for long, is not to wait for those who still have to get something by it.
  if (begin.step || !previous) return begin;
  const stage = replacing(previous, signer, observed, policy, now);
  return { ...stage, next: Math.min(stage.next, begin.next) };
}

/** The next authority becomes known; it has signed nothing. */
function spreading(
  { authority, announcedAt }: NonNullable<Ring['next']>,
  signer: Certificate,
  { verifiers }: Observed,
  policy: Policy,
  now: number,
): Stage {
  // It was made by a clock that was ahead, or has waited for years. It signed nothing, so nobody misses it.
  if (!isValid(authority.certificate, now)) return due('begin');
  const lacking = verifiers.filter(({ trusts }) => !trusts?.includes(authority.certificate.keyId));
  if (lacking.length > 0) return waiting(lacking.map(({ name }) => name));
  // A clock that has been set back must wait anew, and not until it is where it was.
  if (announcedAt === undefined || announcedAt > now) return due('announce');
  // What has run out can't wait for those of whom nothing is known: nobody else accepts it any more.
  return at(Math.min(announcedAt + overlapOf(policy), signer.until), 'promote', now);
}

/** Previous authorities are still needed by whoever has not got a new certificate, or not loaded it. */
function replacing(
  { until }: NonNullable<Ring['previous']>,
  signer: Certificate,
  { holders }: Observed,
  policy: Policy,
  now: number,
): Stage {
  const isNew = (keyId: string | undefined) => keyId === signer.keyId;
  const behind = holders.filter(({ stored, shows }) => !isNew(stored?.issuerKeyId) || !shows?.every(isNew));
  if (behind.length > 0) return waiting(behind.map(({ name }) => name));
  if (until === undefined || until > now + overlapOf(policy)) return due('settle');
  return at(until, 'retire', now);
}

function renewalOf({ authority }: Ring, { stored }: Holder, policy: Policy, now: number): number {
  const signer = authority.certificate;
  // What it would certify, nobody would believe.
  if (!isValid(signer, now)) return NEVER;
  if (!stored || stored.issuerKeyId !== signer.keyId || stored.from > now) return now;
  const time = Math.max(now, renewalTime(stored, policy));
  // A certificate that ends with its authority gains nothing by being made anew.
  return Math.min(time + policy.lifetime, signer.until) > stored.until ? time : NEVER;
}

function concernsOf(ring: Ring, waitingFor: readonly string[], now: number): Concern[] {
  const { from, until } = ring.authority.certificate;
  const ahead = trustedOf(ring).find((certificate) => certificate.from > now);
  const isLate = (ring.next || ring.previous) && now >= from + (until - from) * LATE;
  const whom =
    waitingFor.length > 0 ? `: ${waitingFor.join(', ')} ${waitingFor.length > 1 ? 'are' : 'is'} waited for` : '';
  const concerns: (Concern | false | undefined)[] = [
    ahead && { kind: 'clock', message: `an authority is valid from ${date(ahead.from)} on: a clock has jumped` },
    until <= now && { kind: 'expired', message: `the authority was valid until ${date(until)}${whom}` },
    until > now &&
      isLate && { kind: 'late', message: `the authority ends on ${date(until)}, its change has not${whom}` },
  ];
  return concerns.filter((one) => one !== false && one !== undefined);
}

function worriesOf({ name, stored }: Holder, now: number): Concern[] {
  if (!stored || isValid(stored, now)) return [];
  const { from, until } = stored;
  return until <= now
    ? [{ kind: 'expired', message: `the certificate of ${name} was valid until ${date(until)}` }]
    : [{ kind: 'clock', message: `the certificate of ${name} is valid from ${date(from)} on: a clock has jumped` }];
}

function trustedOf({ authority, next, previous }: Ring): Certificate[] {
  return [authority.certificate, ...(next ? [next.authority.certificate] : []), ...(previous?.certificates ?? [])];
}

function isValid({ from, until }: Certificate, now: number): boolean {
  return from <= now && now < until;
}

function overlapOf({ overlap = 0 }: Policy): number {
  return overlap;
}

function date(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
