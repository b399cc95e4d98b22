/** What the operator asks a node's agent, and what that answers: bounded, signed, and checked on both sides. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';

/** Where a connection is to be opened. */
export interface Address {
  /** An IP address: an agent resolves no names. */
  readonly host: string;
  readonly port: number;
}

/** The operator's question: how long does it take to open connections to these, from where you are? */
export interface Question {
  /** Never the same twice. */
  readonly nonce: string;
  readonly addresses: readonly Address[];
}

/** One opening of a connection: how long ago it ended, how long it took, and whether it opened. All in milliseconds. */
export type Opening = readonly [agoMs: number, connectMs: number, opened: boolean];

/** The answer. */
export interface Answer {
  /** The question's. */
  readonly nonce: string;
  /** By address, in the question's order. */
  readonly openings: readonly (readonly Opening[])[];
}

/** Addresses in a question, at most. */
export const mostAddresses = 32;
/** Openings of one address in an answer, at most. */
export const mostOpenings = 64;
export const questionBytes = 8192;
export const answerBytes = 1 << 16;
/** The path that is asked. */
export const measurePath = '/v1/measure';
/** The header with the signature. */
export const signatureHeader = 'x-kurator-signature';
/** A key that is shorter could be guessed. */
export const shortestKey = 32;

/** Who speaks: so that nothing can be sent back as its own answer. */
export type Speaker = 'operator' | 'agent';

export function signatureOf(speaker: Speaker, text: string, key: string): string {
  return createHmac('sha256', key).update(`${speaker}\n${text}`).digest('hex');
}

export function isSignedBy(speaker: Speaker, text: string, signature: unknown, key: string): boolean {
  const given = Buffer.from(String(signature));
  const wanted = Buffer.from(signatureOf(speaker, text, key));
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** Undefined where it is none. */
export function parseQuestion(text: string): Question | undefined {
  const { nonce, addresses } = parse(text);
  if (typeof nonce !== 'string' || nonce.length > 128 || !Array.isArray(addresses)) return undefined;
  if (addresses.length > mostAddresses || !addresses.every(isAddress)) return undefined;
  return { nonce, addresses };
}

/** The openings; undefined where it is no answer to this question. */
export function parseAnswer(text: string, { nonce, addresses }: Question): Answer['openings'] | undefined {
  const { nonce: answered, openings } = parse(text);
  if (answered !== nonce || !Array.isArray(openings) || openings.length !== addresses.length) return undefined;
  return openings.every(isRowOfOpenings) ? openings : undefined;
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(text) as Record<string, unknown> | null) ?? {};
  } catch {
    return {};
  }
}

function isAddress(value: unknown): value is Address {
  const { host, port } = (value ?? {}) as Partial<Address>;
  return (
    typeof host === 'string' && isIP(host) !== 0 && Number.isInteger(port) && Number(port) > 0 && Number(port) < 65_536
  );
}

function isRowOfOpenings(value: unknown): value is readonly Opening[] {
  return Array.isArray(value) && value.length <= mostOpenings && value.every(isOpening);
}

const isTime = (value: unknown) => typeof value === 'number' && value >= 0 && value < 600_000;

function isOpening(value: unknown): value is Opening {
  return Array.isArray(value) && isTime(value[0]) && isTime(value[1]) && typeof value[2] === 'boolean';
}
