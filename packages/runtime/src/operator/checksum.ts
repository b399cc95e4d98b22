import { hash } from 'node:crypto';
import { canonicalJson } from '../writing/json.ts';

/**
 * A short text that is the same for values that are the same, whatever the order of their fields: 32 characters that fit
 * into a label or an annotation. In a pod template, it replaces the pods when what they read has changed.
 */
export function checksum(value: unknown): string {
  return hash('sha256', canonicalJson(value), 'hex').slice(0, 32);
}
