/** Makes authorities, and certificates in their name. */
import {
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  type KeyPairKeyObjectResult,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { isIP } from 'node:net';
import { bodyOf, keyIdOf, readCertificate, type Usage } from './certificate.ts';
import { PkiError } from './error.ts';
import { bytesOf, canonicalName } from './internal/addresses.ts';
import {
  bitString,
  contextTag,
  element,
  integer,
  objectId,
  octetString,
  sequence,
  Tag,
  time,
  utf8String,
  yes,
} from './internal/der.ts';
import { Oid } from './internal/oids.ts';
import { KeyPair } from './key-pair.ts';

/** When a certificate is made, and for how long. */
export interface Lifetime {
  /** Milliseconds since 1970. It is dated back by an hour, or a tenth of its lifetime if that is less: clocks differ. */
  readonly now: number;
  /** Milliseconds from then on: a second at least, a hundred years at most. */
  readonly lifetime: number;
}

/** What {@link createAuthority} is asked for. */
export interface AuthorityRequest extends Lifetime {
  /**
   * For people, 47 characters at most. Part of the {@link Certificate.keyId} is added to it: who looks for the one that signed goes
   * by the name, and two authorities must not have the same.
   */
  readonly name: string;
}

/** What {@link issueLeaf} is asked for. */
export interface LeafRequest extends Lifetime {
  /** Of a client it is the user, for etcd, PostgreSQL and Kubernetes alike. 64 characters at most. */
  readonly commonName: string;
  /** Kubernetes reads a client's groups here. */
  readonly organizations?: readonly string[];
  /** DNS names and IP addresses; a server needs one at least. */
  readonly names?: readonly string[];
  /** What it is good for. etcd's servers need both, for they are clients of themselves. */
  readonly usages: readonly Usage[];
}

const SECOND = 1_000;
const HOUR = 3_600_000;
const LONGEST_LIFETIME = 100 * 365.25 * 24 * HOUR;
/** What X.520 allows for a name. */
const LONGEST_COMMON_NAME = 64;
const KEY_ID_DIGITS = 16;
const MOST_NAMES = 256;
const MOST_ORGANIZATIONS = 16;

/** A new authority with a key of its own (ECDSA, P-256): it may sign certificates, and no further authorities. */
export function createAuthority({ name, ...lifetime }: AuthorityRequest): KeyPair {
  refuseName('name', name, LONGEST_COMMON_NAME - KEY_ID_DIGITS - 1);
  const { from, until } = validityOf(lifetime);
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keyId = keyIdOf(spkiOf(keys.publicKey));
  const subject = nameOf({ commonName: `${name} ${keyId.toString('hex').slice(0, KEY_ID_DIGITS)}` });
  return certified({
    key: keys.privateKey,
    subject,
    issuer: subject,
    signingKey: keys.privateKey,
    from,
    until,
    extensions: [
      extension(Oid.basicConstraints, sequence(yes, integer(0)), { critical: true }),
      // keyCertSign and cRLSign.
      extension(Oid.keyUsage, bitString(Buffer.from([0b0000_0110]), 1), { critical: true }),
      extension(Oid.subjectKeyIdentifier, octetString(keyId)),
    ],
  });
}

/**
 * A new key (ECDSA, P-256), certified by an authority and never for longer than that is valid itself. Throws {@link PkiError} for
 * what can't be certified, and if the authority is not valid now.
 */
export function issueLeaf(authority: KeyPair, request: LeafRequest): KeyPair {
  refuseAuthority(authority, request.now);
  const { certificate, privateKey } = authority;
  return leaf(request, generateKeyPairSync('ec', { namedCurve: 'P-256' }), {
    // To the last bit as the authority has it, whoever made that.
    subject: bodyOf(new X509Certificate(certificate.pem).raw).subject.whole,
    keyId: Buffer.from(certificate.keyId, 'hex'),
    privateKey,
    until: certificate.until,
  });
}

/** A certificate that nobody but itself vouches for: whoever is to believe it must have been given it before. */
export function createSelfSigned(request: LeafRequest): KeyPair {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keyId = keyIdOf(spkiOf(keys.publicKey));
  const { privateKey } = keys;
  return leaf(request, keys, { subject: nameOf(request), keyId, privateKey, until: Number.POSITIVE_INFINITY });
}

interface Signer {
  readonly subject: Buffer;
  readonly keyId: Buffer;
  readonly privateKey: KeyObject;
  readonly until: number;
}

function leaf(request: LeafRequest, keys: KeyPairKeyObjectResult, signer: Signer): KeyPair {
  refuseLeaf(request);
  const { from, until } = validityOf(request);
  const names = [...new Set((request.names ?? []).map(canonicalName))];
  return certified({
    key: keys.privateKey,
    subject: nameOf(request),
    issuer: signer.subject,
    signingKey: signer.privateKey,
    from,
    until: Math.min(until, signer.until),
    extensions: [
      extension(Oid.basicConstraints, sequence(), { critical: true }),
      // digitalSignature: all that TLS needs of an elliptic key.
      extension(Oid.keyUsage, bitString(Buffer.from([0b1000_0000]), 7), { critical: true }),
      extension(Oid.extendedKeyUsage, sequence(...request.usages.map((usage) => objectId(usageOids[usage])))),
      extension(Oid.subjectKeyIdentifier, octetString(keyIdOf(spkiOf(keys.publicKey)))),
      extension(Oid.authorityKeyIdentifier, sequence(element(contextTag(0, { constructed: false }), signer.keyId))),
      ...(names.length > 0 ? [extension(Oid.subjectAltName, sequence(...names.map(alternativeOf)))] : []),
    ],
  });
}

const usageOids = { server: Oid.serverAuth, client: Oid.clientAuth } as const satisfies Record<Usage, string>;

interface Content {
  readonly key: KeyObject;
  readonly subject: Buffer;
  readonly issuer: Buffer;
  readonly signingKey: KeyObject;
  readonly from: number;
  readonly until: number;
  readonly extensions: readonly Buffer[];
}

function certified({ key, subject, issuer, signingKey, from, until, extensions }: Content): KeyPair {
  const algorithm = signatureOf(signingKey);
  const body = sequence(
    element(contextTag(0, { constructed: true }), integer(2)),
    integer(...serial()),
    algorithm,
    issuer,
    sequence(time(from), time(until)),
    subject,
    spkiOf(createPublicKey(key)),
    element(contextTag(3, { constructed: true }), sequence(...extensions)),
  );
  const der = sequence(body, algorithm, bitString(sign('sha256', body, signingKey)));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  const pem = ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
  return new KeyPair(readCertificate(pem), key);
}

/** 158 random bits. The two highest make it a positive number that doesn't begin with zero. */
function serial(): Buffer {
  const bytes = randomBytes(20);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes;
}

/** Ours are elliptic; an authority that was brought along may have a key of RSA. */
function signatureOf(key: KeyObject): Buffer {
  if (key.asymmetricKeyType === 'ec') return sequence(objectId(Oid.ecdsaWithSha256));
  if (key.asymmetricKeyType === 'rsa') return sequence(objectId(Oid.sha256WithRsa), element(0x05));
  const message = `the authority's key is of the sort ${key.asymmetricKeyType}`;
  throw new PkiError('KUR_PKI_AUTHORITY', message, 'use an authority with a key of ECDSA or RSA');
}

function nameOf({ commonName, organizations = [] }: Pick<LeafRequest, 'commonName' | 'organizations'>): Buffer {
  const attribute = (oid: string, value: string) => element(Tag.set, sequence(objectId(oid), utf8String(value)));
  return sequence(
    ...organizations.map((value) => attribute(Oid.organization, value)),
    attribute(Oid.commonName, commonName),
  );
}

function alternativeOf(name: string): Buffer {
  return isIP(name)
    ? element(contextTag(7, { constructed: false }), bytesOf(name))
    : element(contextTag(2, { constructed: false }), Buffer.from(name, 'latin1'));
}

function extension(oid: string, value: Buffer, { critical = false } = {}): Buffer {
  return sequence(objectId(oid), ...(critical ? [yes] : []), octetString(value));
}

function spkiOf(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' });
}

function validityOf({ now, lifetime }: Lifetime): { from: number; until: number } {
  if (!(lifetime >= SECOND && lifetime <= LONGEST_LIFETIME)) {
    throw refused('lifetime', 'must be between a second and a hundred years, in milliseconds');
  }
  if (!(now >= 0 && now + lifetime < Date.UTC(10_000))) throw refused('now', 'must be milliseconds since 1970');
  return { from: now - Math.min(HOUR, lifetime / 10), until: now + lifetime };
}

function refuseAuthority({ certificate }: KeyPair, now: number): void {
  const { isAuthority, from, until } = certificate;
  const [begin, end] = [from, until].map((date) => new Date(date).toISOString());
  const why =
    (!isAuthority && 'it is no authority') ||
    (now < from && `it is valid from ${begin} on: the clock is behind, or was ahead when it was made`) ||
    (until <= now && `it was valid until ${end}`);
  if (!why) return;
  throw new PkiError(
    'KUR_PKI_AUTHORITY',
    `the authority can't sign: ${why}`,
    'make a new one, and have it trusted first',
  );
}

function refuseLeaf({ commonName, organizations = [], names = [], usages }: LeafRequest): void {
  refuseName('commonName', commonName, LONGEST_COMMON_NAME);
  for (const name of organizations) refuseName('organizations', name, LONGEST_COMMON_NAME);
  if (organizations.length > MOST_ORGANIZATIONS)
    throw refused('organizations', `must be ${MOST_ORGANIZATIONS} at most`);
  if (names.length > MOST_NAMES) throw refused('names', `must be ${MOST_NAMES} at most`);
  const wrong = names.find((name) => !isIP(name) && !isDnsName(name));
  if (wrong !== undefined) {
    throw refused('names', `must be DNS names or IP addresses; ${JSON.stringify(wrong.slice(0, 100))} is neither`);
  }
  if (usages.length === 0) throw refused('usages', "must be 'server', 'client' or both");
  if (usages.includes('server') && names.length === 0) throw refused('names', 'must not be empty for a server');
}

function refuseName(field: string, name: string, longest: number): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for.
  if (name.length > 0 && [...name].length <= longest && !/[\u0000-\u001f\u007f]/.test(name)) return;
  throw refused(field, `must be 1 to ${longest} characters long, without control characters`);
}

function isDnsName(name: string): boolean {
  const label = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?';
  return name.length <= 253 && new RegExp(`^(\\*\\.)?${label}(\\.${label})*$`, 'i').test(name);
}

function refused(field: string, rule: string): PkiError {
  return new PkiError('KUR_PKI_REQUEST', `${field} ${rule}`, `change ${field}`);
}
