/**
 * The keys of one operator's webhooks, and how they change. All replicas share one ring, in a Secret.
 *
 *   begin      a new authority joins the ring: it is trusted, and signs nothing yet
 *   announce   every registration holds it: the waiting begins that lets every API server hear of it
 *   promote    it signs what is served from now on; the old authority gives up its key, and is still trusted
 *   retire     nobody serves anything signed by the old authority any more: it is forgotten
 *   renew      a new serving certificate by the same authority, which needs no ceremony
 *
 * So whatever a replica serves, and however late it hears of a change, every API server trusts it.
 */
import type { Certificate } from './certificate.ts';
import type { Issuer } from './issuer.ts';

export interface Keyring {
  readonly authority: Certificate;
  readonly serving: Certificate;
  readonly next?: {
    readonly authority: Certificate;
    /** Since when every registration holds it, in milliseconds since 1970. */
    readonly announcedAt?: number;
  };
  readonly previous?: {
    /** PEM; the key is gone. */
    readonly certificate: string;
    /** Until when it is trusted, in milliseconds since 1970. */
    readonly until: number;
  };
}

export type Step = 'begin' | 'announce' | 'promote' | 'retire' | 'renew';

export interface Plan {
  /** Milliseconds that an authority is trusted before it is used, and after. */
  readonly overlap: number;
  /** Milliseconds that a serving certificate is valid. */
  readonly lifetime: number;
  /** What the serving certificate must be for. */
  readonly names: readonly string[];
}

const NEVER = Number.POSITIVE_INFINITY;

/** A ring with nothing but what is needed to serve. */
export async function freshKeyring(issuer: Issuer, { names }: Plan, now: number): Promise<Keyring> {
  const authority = await issuer.authority(now);
  return { authority, serving: await issuer.serving(authority, names, now) };
}

/** All authorities that are to be trusted, as PEM. In an order that a promotion doesn't change: one write less. */
export function bundleOf({ authority, next, previous }: Keyring): string {
  return [authority.certificate, next?.authority.certificate ?? '', previous?.certificate ?? ''].sort().join('');
}

/**
 * What is to be done now, or in how many milliseconds something will be.
 *
 * @param held whether every registration holds the bundle of this ring.
 */
export function nextStep(ring: Keyring, plan: Plan, now: number, held: boolean): Step | number {
  const { authority, next, previous } = ring;
  if (next && held && next.announcedAt === undefined) return 'announce';
  const times: [Step, number][] = [
    ['promote', held ? promotionOf(ring, plan) : NEVER],
    ['retire', previous?.until ?? NEVER],
    ['renew', renewalOf(ring, plan, now)],
    ['begin', next || previous ? NEVER : twoThirds(authority)],
  ];
  const due = times.find(([, at]) => at <= now);
  return due ? due[0] : Math.min(...times.map(([, at]) => at)) - now;
}

/** The ring after a step. */
export async function taken(step: Step, ring: Keyring, plan: Plan, now: number, issuer: Issuer): Promise<Keyring> {
  const { authority, next, previous: _, ...rest } = ring;
  switch (step) {
    case 'begin':
      return { ...ring, next: { authority: await issuer.authority(now) } };
    case 'announce':
      return next ? { ...ring, next: { ...next, announcedAt: now } } : ring;
    case 'promote': {
      if (!next) return ring;
      const serving = await issuer.serving(next.authority, namesFor(ring, plan), now);
      const until = now + plan.overlap;
      return { authority: next.authority, serving, previous: { certificate: authority.certificate, until } };
    }
    case 'retire':
      return { ...rest, authority, ...(next && { next }) };
    case 'renew':
      return { ...ring, serving: await issuer.serving(authority, namesFor(ring, plan), now) };
  }
}

function promotionOf({ next, authority }: Keyring, { overlap }: Plan): number {
  if (next?.announcedAt === undefined) return NEVER;
  // What is about to be invalid can't wait for those who have not heard yet.
  return Math.min(next.announcedAt + overlap, authority.until);
}

function renewalOf({ serving, authority }: Keyring, { lifetime, names }: Plan, now: number): number {
  // What it would certify, nobody would believe.
  if (authority.until <= now) return NEVER;
  if (names.some((name) => !serving.names.includes(name))) return now;
  const at = Math.max(now, twoThirds(serving));
  // A certificate that ends with its authority gains nothing by being made anew.
  return Math.min(at + lifetime, authority.until) > serving.until ? at : NEVER;
}

/** Names of other releases stay: during an upgrade both need theirs, and must not take turns at removing the other's. */
function namesFor({ serving }: Keyring, { names }: Plan): string[] {
  return [...new Set([...names, ...serving.names])];
}

function twoThirds({ from, until }: Certificate): number {
  return from + ((until - from) * 2) / 3;
}
