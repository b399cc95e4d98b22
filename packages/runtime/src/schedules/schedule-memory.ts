/** Where the time of the last run is kept, for cron schedules that must not miss one because of a restart. */
import type { Client, KubernetesObject, ObjectReference, ResourceType } from '@kurator/client';

/** Kept on the object itself: an annotation, a field of its status, or wherever an author likes. */
export interface ScheduleMemory<T extends KubernetesObject> {
  /** When the last run that went well was due; RFC 3339, or undefined if there was none. Asked often: no requests. */
  read(object: T): string | undefined;
  /** Called after each run that went well. What it throws is reported, and changes nothing else. */
  write(object: T, dueAt: string, signal: AbortSignal): Promise<unknown>;
}

/**
 * Keeps it in an annotation: one write for each run. Give a controller of the same kind the predicate
 * `generationChanged`, lest each run causes a reconcile.
 *
 * @param annotation For example `example.com/last-backup`.
 */
export function rememberInAnnotation<T extends KubernetesObject>(
  client: Pick<Client, 'patch'>,
  type: ResourceType<T>,
  annotation: string,
): ScheduleMemory<T> {
  return {
    read: ({ metadata }) => metadata.annotations?.[annotation],
    write: async ({ metadata }, dueAt, signal) => {
      const { name, namespace, uid } = metadata;
      const reference: ObjectReference = { name, namespace };
      // With the uid it is refused by another object that took the place of this one.
      await client.patch(type, reference, { metadata: { uid, annotations: { [annotation]: dueAt } } }, { signal });
    },
  };
}
