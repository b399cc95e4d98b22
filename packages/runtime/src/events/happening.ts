/** What a caller says has happened, and whether the API server would take it. */
import type { KubernetesObject } from '@kurator/client';
import { withoutSecrets } from '../redaction.ts';
import type { EventObjectReference } from './event.ts';

/** Something worth telling the people who look after an object. */
export interface Happening {
  /** `Warning` for what someone should look into. */
  readonly type: 'Normal' | 'Warning';
  /** Why, for machines: a word in UpperCamelCase, at most 128 bytes: `ImageNotFound`. */
  readonly reason: string;
  /** What was done or tried, in the same form: `PullImage`. */
  readonly action: string;
  /** For people. Cut to 1024 bytes; what looks like a secret is blotted out. */
  readonly note: string;
  /** Another object that has to do with it. */
  readonly related?: KubernetesObject;
}

const LONGEST_NOTE = 1024;
const word = /^[A-Z][A-Za-z0-9]{0,127}$/;

/** What is wrong with a happening; undefined when nothing is. */
export function faultOf({ type, reason, action }: Happening): string | undefined {
  if (type !== 'Normal' && type !== 'Warning') return `type "${type}" is neither Normal nor Warning`;
  for (const [field, value] of Object.entries({ reason, action })) {
    if (!word.test(value)) return `${field} "${value}" is no word in UpperCamelCase of at most 128 letters and digits`;
  }
  return undefined;
}

/** A note as the server takes it: no secrets, no half characters, at most 1024 bytes. */
export function fittingNote(note: string): string {
  return cutToBytes(withoutSecrets(note), LONGEST_NOTE);
}

const ELLIPSIS = '…';

/** At most so many bytes of UTF-8, ending in an ellipsis if something was cut off, never inside a character. */
export function cutToBytes(text: string, most: number): string {
  const wellFormed = text.toWellFormed();
  if (Buffer.byteLength(wellFormed) <= most) return wellFormed;
  const room = most - Buffer.byteLength(ELLIPSIS);
  const bytes = new Uint8Array(room);
  const { read } = new TextEncoder().encodeInto(wellFormed, bytes);
  return wellFormed.slice(0, read) + ELLIPSIS;
}

export function eventReference({ apiVersion, kind, metadata }: KubernetesObject): EventObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    name,
    ...(namespace && { namespace }),
    ...(uid && { uid }),
    ...(resourceVersion && { resourceVersion }),
  };
}
