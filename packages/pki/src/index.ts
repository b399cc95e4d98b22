/** An authority, certificates in its name, and how both are replaced without a failed handshake. */
export { type Certificate, isFor, readBundle, readCertificate, type Usage } from './certificate.ts';
export { PkiError, type PkiErrorCode } from './error.ts';
export {
  type AuthorityRequest,
  createAuthority,
  createSelfSigned,
  issueLeaf,
  type LeafRequest,
  type Lifetime,
} from './issue.ts';
export { type Circumstances, type Finding, type FindingCode, hasSigned, judge } from './judge.ts';
export { KeyPair, readKeyPair } from './key-pair.ts';
export {
  bundleOf,
  type Concern,
  type Holder,
  type Observed,
  type Plan,
  type Policy,
  plan,
  type Ring,
  renewalTime,
  type Step,
  take,
  type Verifier,
} from './ring.ts';
export { type LeafSecret, leafData, leafFromData, ringData, ringFromData, type SecretData } from './secret.ts';
