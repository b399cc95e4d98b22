/**
 * At a desk, what nobody answers any more must not go on refusing every write: each registration becomes what it was
 * before, however the webhooks end. Only one that was not there is deleted.
 */
import type { Runnable } from '../../manager/runnable.ts';
import type { Restore } from './registrations.ts';

/** @param registrationsNow Asked before the webhooks change anything. */
export function withdrawing(webhooks: Runnable, registrationsNow: () => Promise<Restore>): Runnable {
  return {
    name: webhooks.name,
    ready: (signal) => webhooks.ready?.(signal) ?? Promise.resolve(),
    readiness: (signal) => webhooks.readiness?.(signal),
    isNeededToRead: (type) => webhooks.isNeededToRead?.(type) ?? false,
    async run(context) {
      const restore = await registrationsNow();
      try {
        await webhooks.run(context);
      } finally {
        await restore((error, what) => context.logger.warn({ error }, `${what} could not be put back as it was`));
      }
    },
  };
}
