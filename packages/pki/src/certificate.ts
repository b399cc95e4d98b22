/** What there is to know of a certificate, read once. */
import { createHash, X509Certificate } from 'node:crypto';
import { PkiError } from './error.ts';
import { canonicalName, textOf } from './internal/addresses.ts';
import { attempt } from './internal/attempt.ts';
import { contextTag, type Element, elementsIn, objectId, Tag } from './internal/der.ts';
import { Oid } from './internal/oids.ts';

/** What the holder of a certificate may be: who is connected to, or who connects. */
export type Usage = 'server' | 'client';

/** A certificate without its key: public, and free to be shown. */
export interface Certificate {
  /** PEM. */
  readonly pem: string;
  /** Milliseconds since 1970 between which it is valid. */
  readonly from: number;
  readonly until: number;
  /** Empty where there is none. */
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** DNS names and IP addresses that it is for; none for an authority. */
  readonly names: readonly string[];
  /** Both where it doesn't say. */
  readonly usages: readonly Usage[];
  /** Whether it may sign others. */
  readonly isAuthority: boolean;
  /** Hexadecimal. */
  readonly serial: string;
  /** Tells its key from all others, in hexadecimal: short enough for an annotation, and no secret. */
  readonly keyId: string;
  /** The {@link Certificate.keyId} of who signed it; undefined where it doesn't say. It is a claim: {@link judge} checks it. */
  readonly issuerKeyId: string | undefined;
  /** Of all that it says: SHA-256, in hexadecimal. */
  readonly fingerprint: string;
}

/** More than any Secret holds. */
const LONGEST_PEM = 1_048_576;
const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Reads the first certificate of a PEM. Throws {@link PkiError} if there is none. */
export function readCertificate(pem: string): Certificate {
  const [first] = readBundle(pem);
  if (!first) throw unreadable('there is no certificate in it');
  return first;
}

/** Reads all certificates of a PEM, in their order; none is allowed. Throws {@link PkiError} if one can't be read. */
export function readBundle(pem: string): Certificate[] {
  if (pem.length > LONGEST_PEM) throw unreadable('it is longer than 1 MiB');
  return (pem.match(BLOCK) ?? []).map(factsOf);
}

/** Whether a certificate is for everything that is asked: its names, its subject and its usages. */
export function isFor(
  certificate: Certificate,
  wanted: Pick<Certificate, 'commonName' | 'organizations' | 'names' | 'usages'>,
): boolean {
  const includes = (all: readonly string[], some: readonly string[]) => some.every((one) => all.includes(one));
  return (
    certificate.commonName === wanted.commonName &&
    certificate.organizations.join('\n') === wanted.organizations.join('\n') &&
    includes(certificate.usages, wanted.usages) &&
    includes(certificate.names, wanted.names.map(canonicalName))
  );
}

export function unreadable(why: string): PkiError {
  return new PkiError('KUR_PKI_UNREADABLE', `the certificate or its key can't be used: ${why}`, 'give both as PEM');
}

function factsOf(pem: string): Certificate {
  const facts = attempt(() => {
    const parsed = new X509Certificate(pem);
    const { keyId, issuerKeyId, subject, names } = fieldsOf(parsed.raw);
    return {
      pem: `${pem}\n`,
      from: parsed.validFromDate.getTime(),
      until: parsed.validToDate.getTime(),
      commonName: subject.get(Oid.commonName)?.[0] ?? '',
      organizations: subject.get(Oid.organization) ?? [],
      names,
      usages: usagesOf(parsed.keyUsage),
      isAuthority: parsed.ca,
      serial: parsed.serialNumber.toLowerCase(),
      keyId,
      issuerKeyId,
      fingerprint: createHash('sha256').update(parsed.raw).digest('hex'),
    };
  });
  if (!facts) throw unreadable('it is no X.509 certificate');
  return facts;
}

function usagesOf(extended: readonly string[] | undefined): Usage[] {
  const has = (oid: string) => extended === undefined || extended.includes(oid);
  return [...(has(Oid.serverAuth) ? ['server' as const] : []), ...(has(Oid.clientAuth) ? ['client' as const] : [])];
}

/** What Node doesn't tell, or only as text that can mean two things. */
function fieldsOf(der: Buffer) {
  const { subject, publicKey, extensions } = bodyOf(der);
  const found = new Map(extensions.map((one) => [oidOf(one), one]));
  const ownKeyId = contentOf(found.get(hexOf(Oid.subjectKeyIdentifier)))?.content;
  const signer = contentOf(found.get(hexOf(Oid.authorityKeyIdentifier)));
  const signerKeyId =
    signer && elementsIn(signer.content).find(({ tag }) => tag === contextTag(0, { constructed: false }));
  const alternatives = contentOf(found.get(hexOf(Oid.subjectAltName)));
  return {
    subject: attributesOf(subject),
    keyId: (ownKeyId ?? keyIdOf(publicKey.whole)).toString('hex'),
    issuerKeyId: signerKeyId?.content.toString('hex'),
    names: alternatives ? elementsIn(alternatives.content).flatMap(nameOf) : [],
  };
}

/** The parts of a certificate that others depend on to the last bit. */
export function bodyOf(der: Buffer): { subject: Element; publicKey: Element; extensions: Element[] } {
  const [certificate] = elementsIn(der);
  const [body] = elementsIn(certificate?.content ?? der);
  const all = elementsIn(body?.content ?? der);
  // The version comes first, and may be left out; so may extensions, which come last.
  const fields = all[0]?.tag === contextTag(0, { constructed: true }) ? all.slice(1) : all;
  const [, , , , subject, publicKey, ...rest] = fields;
  if (!subject || !publicKey) throw new RangeError('too short');
  const extensions = rest.find(({ tag }) => tag === contextTag(3, { constructed: true }));
  const [list] = extensions ? elementsIn(extensions.content) : [];
  return { subject, publicKey, extensions: list ? elementsIn(list.content) : [] };
}

/** Of a public key as certificates have it: SHA-1 of its bits, as RFC 5280 proposes. It finds keys, and proves nothing. */
export function keyIdOf(publicKey: Buffer): Buffer {
  const [info] = elementsIn(publicKey);
  const bits = elementsIn(info?.content ?? publicKey)[1];
  if (!bits) throw new RangeError('not a public key');
  return createHash('sha1').update(bits.content.subarray(1)).digest();
}

const hexOf = (dotted: string) => objectId(dotted).toString('hex');

function oidOf(parent: Element): string {
  return elementsIn(parent.content)[0]?.whole.toString('hex') ?? '';
}

/** What is in an extension: its last field is a string of bytes, which is an element in its turn. */
function contentOf(extension: Element | undefined): Element | undefined {
  const bytes = extension && elementsIn(extension.content).at(-1);
  return bytes && elementsIn(bytes.content)[0];
}

function attributesOf(name: Element): Map<string, string[]> {
  const pairs = elementsIn(name.content).flatMap((set) => elementsIn(set.content));
  const attributes = new Map<string, string[]>();
  for (const oid of [Oid.commonName, Oid.organization]) {
    const same = pairs.filter((pair) => oidOf(pair) === hexOf(oid));
    attributes.set(
      oid,
      same.map((pair) => stringOf(elementsIn(pair.content)[1])),
    );
  }
  return attributes;
}

function stringOf(text: Element | undefined): string {
  if (!text) return '';
  return text.tag === Tag.bmpString ? Buffer.from(text.content).swap16().toString('utf16le') : text.content.toString();
}

function nameOf({ tag, content }: Element): string[] {
  if (tag === contextTag(2, { constructed: false })) return [content.toString('latin1')];
  return tag === contextTag(7, { constructed: false }) ? [textOf(content)] : [];
}
