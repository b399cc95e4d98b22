/** A ring of keys as the data of a Secret, in words that a person with `kubectl` understands. */
import { readCertificate } from './certificate.ts';
import type { Keyring } from './keyring.ts';

type Data = Record<string, string>;

export function dataOf({ serving, authority, next, previous }: Keyring): Data {
  return encoded({
    'tls.crt': serving.certificate,
    'tls.key': serving.key,
    'ca.crt': authority.certificate,
    'ca.key': authority.key,
    ...(next && { 'next-ca.crt': next.authority.certificate, 'next-ca.key': next.authority.key }),
    ...(next?.announcedAt !== undefined && { 'next-ca-announced-at': timeOf(next.announcedAt) }),
    ...(previous && { 'previous-ca.crt': previous.certificate, 'previous-ca-until': timeOf(previous.until) }),
  });
}

/** Undefined for data that no ring can be made of: somebody has edited it, or it was never one. */
export function keyringOf(data: Data | undefined): Keyring | undefined {
  const text = (name: string) => Buffer.from(data?.[name] ?? '', 'base64').toString('utf8');
  try {
    const next = text('next-ca.crt') ? readCertificate(text('next-ca.crt'), text('next-ca.key')) : undefined;
    const announced = text('next-ca-announced-at');
    const previous = text('previous-ca.crt');
    return {
      serving: readCertificate(text('tls.crt'), text('tls.key')),
      authority: readCertificate(text('ca.crt'), text('ca.key')),
      ...(next && { next: { authority: next, ...(announced && { announcedAt: millisecondsOf(announced) }) } }),
      ...(previous && { previous: { certificate: previous, until: millisecondsOf(text('previous-ca-until')) } }),
    };
  } catch {
    // Whatever the reason is, it may quote what it could not read.
    return undefined;
  }
}

function encoded(texts: Data): Data {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, Buffer.from(text, 'utf8').toString('base64')]),
  );
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function millisecondsOf(time: string): number {
  const milliseconds = Date.parse(time);
  if (Number.isNaN(milliseconds)) throw new RangeError('not a time');
  return milliseconds;
}
