/** What becomes of children when their object goes, and of objects that are done, as an author declares it. */

import { spelledDuration } from '@kurator/client/notation';
import { SchemaError } from './error.ts';
import { stepsOf } from './json-path.ts';

/** What becomes of the children of an object that is deleted. */
export type ChildrenCleanup = 'delete' | 'orphan' | { keepFor: string | number };

/** How to see that an object is done, and since when. */
export type Finished =
  /** A condition that is True, or the given status, since its last transition. */
  | { condition: string; status?: 'True' | 'False' }
  /** A field with one of these values, since the time that another field holds. */
  | { path: string; in: readonly string[]; since: string };

/** Which objects are removed by themselves, and when. */
export interface FinishedCleanup {
  when: Finished;
  /** How long to keep them: `'24h'`, milliseconds, or a field of the object with seconds or a duration; absent is for ever. */
  removeAfter: string | number | { path: string };
}

/** Clean-up as an author declares it. */
export interface Cleanup {
  /** `delete` unless given; `orphan` leaves them as they are; `keepFor` deletes them that long after their object. */
  children?: ChildrenCleanup;
  /** No object is removed unless given. */
  finished?: FinishedCleanup;
}

/** Refuses a declaration that can't be carried out. */
export function checkCleanup({ children, finished }: Cleanup): void {
  if (typeof children === 'object') millisecondsOf(children.keepFor, 'cleanup.children.keepFor');
  if (!finished) return;
  const { when, removeAfter } = finished;
  if (typeof removeAfter === 'object') checkPath(removeAfter.path, 'cleanup.finished.removeAfter.path');
  else millisecondsOf(removeAfter, 'cleanup.finished.removeAfter');
  if ('condition' in when) return;
  checkPath(when.path, 'cleanup.finished.when.path');
  checkPath(when.since, 'cleanup.finished.when.since');
}

function checkPath(path: string, declaredAt: string): void {
  if (stepsOf(path)?.every((step) => 'field' in step)) return;
  const remedy = 'write it as .status.phase';
  throw new SchemaError('KUR_SCHEMA_PATH', `${path} is no path to a field; ${remedy}`, { path: declaredAt, remedy });
}

/** Milliseconds of a declared duration; an error that names the place where it is none. */
export function millisecondsOf(duration: string | number, declaredAt: string): number {
  const milliseconds = typeof duration === 'number' ? duration : spelledDuration(duration);
  if (milliseconds !== undefined && milliseconds >= 0 && milliseconds < Infinity) return milliseconds;
  const remedy = "give milliseconds as a number from 0, or a text such as '24h' or '1h30m'";
  throw new SchemaError('KUR_SCHEMA_DURATION', `${JSON.stringify(duration)} is not a duration; ${remedy}`, {
    path: declaredAt,
    remedy,
  });
}
