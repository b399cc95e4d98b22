/**
 * Certificates as the data of Secrets, in words that a person with `kubectl` understands. A certificate is laid out as
 * `kubernetes.io/tls` wants it, with `ca.crt` beside; the authorities, with their keys, belong into a Secret of their own.
 */
import { readBundle } from './certificate.ts';
import { attempt } from './internal/attempt.ts';
import { type KeyPair, readKeyPair } from './key-pair.ts';
import type { Ring } from './ring.ts';

/** The `data` of a Secret: base64 by name. */
export type SecretData = Record<string, string>;

/** What a pod mounts. */
export interface LeafSecret {
  readonly pair: KeyPair;
  /** The authorities that its holder is to trust, as PEM. */
  readonly bundle: string;
}

/** `tls.crt`, `tls.key` and `ca.crt`: for a Secret of the type `kubernetes.io/tls`. */
export function leafData({ pair, bundle }: LeafSecret): SecretData {
  return encoded({ 'tls.crt': pair.pem, 'tls.key': pair.exportKey(), 'ca.crt': bundle });
}

/** Undefined for data that is no certificate with its key and authorities: somebody has edited it, or it was never one. */
export function leafFromData(data: SecretData | undefined): LeafSecret | undefined {
  return attempt(() => {
    const text = textsOf(data);
    const bundle = text('ca.crt');
    if (readBundle(bundle).length === 0) return undefined;
    return { pair: readKeyPair(text('tls.crt'), text('tls.key')), bundle };
  });
}

/** `ca.crt` and `ca.key`, and while they change `next-ca.…` or `previous-ca.…`: for a Secret that no pod mounts. */
export function ringData({ authority, next, previous }: Ring): SecretData {
  return encoded({
    'ca.crt': authority.pem,
    'ca.key': authority.exportKey(),
    ...(next && { 'next-ca.crt': next.authority.pem, 'next-ca.key': next.authority.exportKey() }),
    ...(next?.announcedAt !== undefined && { 'next-ca-announced-at': timeOf(next.announcedAt) }),
    ...(previous && { 'previous-ca.crt': previous.certificates.map(({ pem }) => pem).join('') }),
    ...(previous?.until !== undefined && { 'previous-ca-until': timeOf(previous.until) }),
  });
}

/** Undefined for data that no ring can be made of: somebody has edited it, or it was never one. */
export function ringFromData(data: SecretData | undefined): Ring | undefined {
  return attempt(() => {
    const text = textsOf(data);
    const authority = readKeyPair(text('ca.crt'), text('ca.key'));
    const next = text('next-ca.crt') && readKeyPair(text('next-ca.crt'), text('next-ca.key'));
    const certificates = readBundle(text('previous-ca.crt'));
    const announcedAt = millisecondsOf(text('next-ca-announced-at'));
    const until = millisecondsOf(text('previous-ca-until'));
    return {
      authority,
      ...(next && { next: { authority: next, ...(announcedAt !== undefined && { announcedAt }) } }),
      ...(certificates.length > 0 && { previous: { certificates, ...(until !== undefined && { until }) } }),
    };
  });
}

function textsOf(data: SecretData | undefined): (name: string) => string {
  return (name) => Buffer.from(data?.[name] ?? '', 'base64').toString('utf8');
}

function encoded(texts: SecretData): SecretData {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, Buffer.from(text, 'utf8').toString('base64')]),
  );
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function millisecondsOf(time: string): number | undefined {
  if (time === '') return undefined;
  const milliseconds = Date.parse(time);
  if (Number.isNaN(milliseconds)) throw new RangeError('not a time');
  return milliseconds;
}
