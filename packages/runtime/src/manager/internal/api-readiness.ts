/** Whether the API server can be reached: by what came from it lately, and only in doubt by asking. */

import { type Client, hasCode, type KubernetesObject, serverVersion, versionSkew } from '@kurator/client';
import type { RunnableCache } from '../../cache/cache.ts';
import type { Clock } from '../../clock.ts';
import { messageOf } from '../../error.ts';
import type { ApiTraffic } from '../../insight/api-traffic.ts';
import type { Check } from '../../insight/check.ts';
import type { Runnable } from '../runnable.ts';

type AnyCache = Pick<RunnableCache<KubernetesObject>, 'type' | 'state'>;

// An idle watch hears a bookmark a minute; until then silence says nothing.
const RECENT = 15_000;
// A watch that is silent for longer than its idle timeout should have been ended by it.
const DEAD = 180_000;

export function apiServerCheck(client: Client, traffic: ApiTraffic, clock: Clock): Check {
  let asking: Promise<string | undefined> | undefined;
  return {
    name: 'api-server',
    check() {
      const { lastAnswerAt } = traffic;
      if (lastAnswerAt !== undefined && clock.now() - lastAnswerAt < RECENT) return undefined;
      asking ??= ask(client).finally(() => {
        asking = undefined;
      });
      return asking;
    },
  };
}

async function ask(client: Client): Promise<string | undefined> {
  try {
    await client.raw('GET', '/readyz', { timeout: 1_500 });
    return undefined;
  } catch (error) {
    // Whoever may not ask was at least answered.
    if (hasCode(error, 'KUR_CLIENT_FORBIDDEN')) return undefined;
    return messageOf(error);
  }
}

/** Whether every cache is complete, and still hears from the server. */
export function cachesCheck(caches: () => readonly AnyCache[]): Check {
  return {
    name: 'caches',
    check() {
      const reasons = caches().flatMap(({ type, state }) => {
        const { synced, silence, lastTrouble } = state();
        const why = lastTrouble ? ` (${messageOf(lastTrouble)})` : '';
        if (!synced) return [`${type.kind} is not synced${why}`];
        if (silence !== undefined && silence > DEAD)
          return [`${type.kind} has heard nothing for ${Math.round(silence / 1000)} s${why}`];
        return [];
      });
      return reasons.length > 0 ? reasons.join('; ') : undefined;
    },
  };
}

/** Says once, in the log, which version the API server is, and what to expect if that is far from ours. */
export function serverAge(client: Client): Runnable {
  return {
    name: 'server version',
    async run({ stop, logger }) {
      try {
        const version = await serverVersion(client, { signal: stop });
        const skew = versionSkew(version);
        if (skew) logger.warn({ version: version.text }, skew);
        else logger.debug({ version: version.text }, 'the API server has a version that this operator was made for');
      } catch (error) {
        // It may be forbidden to ask, and it is no reason to stop.
        if (!stop.aborted) logger.debug({ error }, "could not ask for the API server's version");
      }
    },
  };
}
