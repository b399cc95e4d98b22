/** What is asked before an object of the reconciled kind is stored. */
import type { KubernetesObject } from '@kurator/client';
import type { AdmissionCall, Objections } from '../webhooks/admission.ts';

/** Looks at an object and objects, or doesn't: `(app) => app.spec.image.includes(':') || deny('spec.image', 'must have a tag')`. */
export type ValidateFunction<T extends KubernetesObject> = (
  object: T,
  call: AdmissionCall<T>,
) => Objections | true | Promise<Objections | true>;

/** Changes the object, or returns another in its place, or objects. Must come to the same when it is asked twice. */
export type MutateFunction<T extends KubernetesObject> = (
  object: T,
  call: AdmissionCall<T>,
) => T | Objections | Promise<T | Objections>;
