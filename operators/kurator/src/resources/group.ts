/** Where all of the healer's kinds live. */
import type { ResourceType } from '@kurator/sdk';

export const group = 'kurator.sh';
export const version = 'v1alpha1';

/** One of them, for those that refer to it before it is declared. */
export function typeNamed(kind: 'Kurator' | 'AlertChannel'): ResourceType {
  return { apiVersion: `${group}/${version}`, kind, plural: `${kind.toLowerCase()}s`, namespaced: true };
}
