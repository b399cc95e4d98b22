/** The answers to an AdmissionReview. */
import type { Status } from '@kurator/client';
import type { Denial } from '../denial.ts';
import type { PatchOperation } from './json-patch.ts';
import type { AdmissionRequest } from './review.ts';

export interface AdmissionResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: Omit<Status, 'kind'>;
  readonly patchType?: 'JSONPatch';
  /** Base64. */
  readonly patch?: string;
  readonly warnings?: readonly string[];
}

export function reviewed(response: AdmissionResponse): object {
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
}

export function allowed(
  { uid }: AdmissionRequest,
  warnings: readonly string[],
  patch: readonly PatchOperation[] = [],
): AdmissionResponse {
  return {
    uid,
    allowed: true,
    ...(patch.length > 0 && {
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
    }),
    ...withWarnings(warnings),
  };
}

/** Written as the API server writes its own refusals, so that `kubectl` and programs show the fields. */
export function denied(
  request: AdmissionRequest,
  denials: readonly Denial[],
  warnings: readonly string[],
): AdmissionResponse {
  const { uid, name, kind } = request;
  const lines = denials.map(({ field, message }) => (field ? `${field}: ${message}` : message));
  const list = lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`;
  const causes = denials.flatMap(({ field, message, reason }) => (field ? [{ reason, message, field }] : []));
  const details = { name, kind: kind.kind, ...(kind.group && { group: kind.group }), causes };
  const ofFields = causes.length === denials.length;
  const subject = kind.group ? `${kind.kind}.${kind.group}` : kind.kind;
  const status = ofFields
    ? { code: 422, reason: 'Invalid', message: `${subject} "${name}" is invalid: ${list}`, details }
    : { code: 403, reason: 'Forbidden', message: list ?? '', details };
  return { uid, allowed: false, status: { status: 'Failure', ...status }, ...withWarnings(warnings) };
}

/** Says that something is broken here, and where to look; not what, which is nobody's business but the operator's. */
export function failed(
  { uid }: AdmissionRequest,
  problem: { readonly code: number; readonly message: string },
  warnings: readonly string[],
): AdmissionResponse {
  const reason = problem.code === 504 ? 'Timeout' : 'InternalError';
  return { uid, allowed: false, status: { status: 'Failure', reason, ...problem }, ...withWarnings(warnings) };
}

function withWarnings(warnings: readonly string[]): Pick<AdmissionResponse, 'warnings'> {
  return warnings.length > 0 ? { warnings } : {};
}
