/**
 * The keys of what one operator serves: its webhooks, or its metrics. All replicas share them, in one Secret: the authorities,
 * which follow each other as @kurator/pki plans it, and the certificate that every replica serves.
 *
 * A replica serves what the Secret holds, a little late; who asks it trusts what it was told of, a little late. Nobody can see
 * how late, so each stage lasts for an overlap: whoever is late by less fits with everybody else.
 */
import {
  bundleOf,
  type Concern,
  createAuthority,
  isFor,
  issueLeaf,
  type KeyPair,
  leafData,
  leafFromData,
  plan,
  type Ring,
  ringData,
  ringFromData,
  type SecretData,
  type Step,
  take,
} from '@kurator/pki';

export interface Keyring {
  readonly ring: Ring;
  readonly serving: KeyPair;
}

/** A step of the ring, or a new serving certificate by the same authority, which needs no ceremony. */
export type Change = Step | 'renew';

export interface KeyringSettings {
  /** Goes into the names of authority and certificate. */
  readonly operator: string;
  /** What is served; goes into the names too: `webhooks`. */
  readonly purpose: string;
  /** What the serving certificate must be for. */
  readonly names: readonly string[];
  /** Milliseconds that an authority is trusted before it is used, and after. */
  readonly overlap: number;
  /** Milliseconds that an authority and a serving certificate are valid. */
  readonly authorityLifetime: number;
  readonly lifetime: number;
}

/** What is to be done next. */
export interface Outlook {
  /** What is due now, or in how many milliseconds something will be. */
  readonly change: Change | number;
  readonly concerns: readonly Concern[];
}

/** A ring with nothing but what is needed to serve. */
export function freshKeyring(settings: KeyringSettings, now: number): Keyring {
  const ring = { authority: authorityOf(settings, now) };
  return { ring, serving: servingOf(ring, settings.names, settings, now) };
}

/**
 * What is to be done now, or in how many milliseconds something will be.
 *
 * @param held whether all who ask were told of the bundle of this ring.
 */
export function outlook({ ring, serving }: Keyring, settings: KeyringSettings, now: number, held: boolean): Outlook {
  const { certificate } = serving;
  const trusts = held && ring.next ? [ring.next.authority.certificate.keyId] : undefined;
  const shows = [certificate.issuerKeyId ?? ''];
  const { step, renew, next, concerns } = plan(
    ring,
    {
      verifiers: [{ name: 'clients', trusts }],
      holders: [
        { name: settings.purpose, stored: isFor(certificate, wanted(settings)) ? certificate : undefined, shows },
      ],
    },
    policyOf(settings),
    now,
  );
  return { change: step ?? (renew.length > 0 ? 'renew' : next - now), concerns };
}

/** The keys after a change. */
export function changed(change: Change, keyring: Keyring, settings: KeyringSettings, now: number): Keyring {
  const { ring, serving } = keyring;
  // Names of other releases stay: during an upgrade both need theirs, and must not take turns at removing the other's.
  const names = [...settings.names, ...serving.certificate.names];
  if (change === 'renew') return { ring, serving: servingOf(ring, names, settings, now) };
  const policy = policyOf(settings);
  const after = take(change, ring, policy, now, () => authorityOf(settings, now));
  if (change !== 'promote' || after === ring) return { ring: after, serving };
  // The one certificate is replaced in the same write, so nothing by the old authority is left.
  const settled = take('settle', after, policy, now, () => authorityOf(settings, now));
  return { ring: settled, serving: servingOf(settled, names, settings, now) };
}

/** The data of the Secret: what `kubernetes.io/tls` has, and the authorities. Its `ca.crt` is the one that signs. */
export function dataOf({ ring, serving }: Keyring): SecretData {
  return { ...leafData({ pair: serving, bundle: bundleOf(ring) }), ...ringData(ring) };
}

/** Undefined for data that no keyring can be made of: somebody has edited it, or it was never one. */
export function keyringOf(data: SecretData | undefined): Keyring | undefined {
  const ring = ringFromData(data);
  const serving = leafFromData(data)?.pair;
  return ring && serving && { ring, serving };
}

function policyOf({ lifetime, overlap }: KeyringSettings) {
  // There is one certificate: nobody else is renewed in the same moment.
  return { lifetime, overlap, jitter: 0 };
}

function authorityOf(settings: KeyringSettings, now: number): KeyPair {
  return createAuthority({ name: nameOf(settings), now, lifetime: settings.authorityLifetime });
}

function servingOf({ authority }: Ring, names: readonly string[], settings: KeyringSettings, now: number): KeyPair {
  return issueLeaf(authority, { ...wanted(settings), names, now, lifetime: settings.lifetime });
}

function wanted(settings: KeyringSettings) {
  const { names } = settings;
  return { commonName: nameOf(settings), organizations: [], names, usages: ['server' as const] };
}

function nameOf({ operator, purpose }: KeyringSettings): string {
  // A certificate has room for so much, with what tells authorities apart.
  return `${operator.slice(0, 38)} ${purpose}`;
}
