/** Makes authorities, and serving certificates in their name. Loads its library only when it has something to make. */
import { type Certificate, readCertificate } from './certificate.ts';

export interface Issuer {
  /** A new authority, valid from now on. */
  authority(now: number): Promise<Certificate>;
  /** A new key for these names, certified by an authority and never for longer than that is valid itself. */
  serving(authority: Certificate, names: readonly string[], now: number): Promise<Certificate>;
}

export interface IssuerOptions {
  /** Goes into the authority's name. */
  readonly operator: string;
  /** Milliseconds. */
  readonly authorityLifetime: number;
  readonly lifetime: number;
}

export function createIssuer({ operator, authorityLifetime, lifetime }: IssuerOptions): Issuer {
  return {
    async authority(now) {
      const { makeAuthority } = await import('./x509.ts');
      // Two authorities must not have the same name: who looks for the one that signed goes by it.
      const commonName = `${operator} webhooks ${new Date(now).toISOString()}`;
      const { certificate, key } = await makeAuthority({ commonName, ...validity(now, authorityLifetime) });
      return readCertificate(certificate, key);
    },
    async serving(authority, names, now) {
      const { makeServing } = await import('./x509.ts');
      const { from, until } = validity(now, lifetime);
      const { certificate, key } = await makeServing({
        authority,
        names,
        commonName: `${operator} webhooks`,
        from,
        until: Math.min(until, authority.until),
      });
      return readCertificate(certificate, key);
    },
  };
}

// A clock that is behind must not find a new certificate invalid.
const BACKDATE = 3_600_000;

function validity(now: number, lifetime: number): { from: number; until: number } {
  return { from: now - Math.min(BACKDATE, lifetime / 10), until: now + lifetime };
}
