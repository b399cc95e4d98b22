/** Whether the API server can be reached: by what came from it lately, and only in doubt by asking. */
import { type Client, ClientError, hasCode, type KubernetesObject } from '@kurator/client';
import type { RunnableCache } from '../../cache/cache.ts';
import type { Clock } from '../../clock.ts';
import type { ApiTraffic } from '../../insight/api-traffic.ts';
import type { Check } from '../check.ts';

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
    return error instanceof ClientError ? error.message : String(error);
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
