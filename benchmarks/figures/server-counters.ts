/**
 * What an operator asked of the API server, by the server's own counters. A write that the server accepts and that
 * changes nothing makes no event: so the successful writes less the events are the writes that changed nothing.
 */

/** Counted since the API server started, over the kinds that were asked for. */
export interface ServerCounters {
  /** Requests to create, change or delete that succeeded. */
  readonly writes: number;
  /** Writes that were refused because something else had been there first (409). */
  readonly conflicts: number;
  /** Those of them that were about a status. */
  readonly statusConflicts: number;
  /** Changes that the server told its watchers about. */
  readonly events: number;
}

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'APPLY', 'DELETE']);
const SAMPLE = /^(apiserver_request_total|apiserver_watch_cache_events_received_total)\{([^}]*)\} (\S+)$/gm;
const LABEL = /(\w+)="([^"]*)"/g;

/** Reads them from the text of `/metrics`; `resources` are the plurals that count. */
export function serverCounters(metrics: string, resources: readonly string[]): ServerCounters {
  const counted = { writes: 0, conflicts: 0, statusConflicts: 0, events: 0 };
  for (const [, name, labels = '', text] of metrics.matchAll(SAMPLE)) {
    const { resource = '', subresource, verb = '', code } = labelsOf(labels);
    const value = Number(text);
    if (!resources.includes(resource)) continue;
    if (name === 'apiserver_watch_cache_events_received_total') counted.events += value;
    else if (!WRITES.has(verb)) continue;
    else if (code?.startsWith('2')) counted.writes += value;
    else if (code === '409') {
      counted.conflicts += value;
      if (subresource === 'status') counted.statusConflicts += value;
    }
  }
  return counted;
}

/** What the operator asked for between two looks, when `byDriver` of the writes, all of which change something, were ours. */
export function countedBetween(before: ServerCounters, after: ServerCounters, byDriver: number) {
  const writes = after.writes - before.writes;
  return {
    writes: writes - byDriver,
    conflicts: after.conflicts - before.conflicts,
    status_conflicts: after.statusConflicts - before.statusConflicts,
    noop_writes: writes - (after.events - before.events),
  };
}

function labelsOf(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(LABEL)].map(([, name = '', value = '']) => [name, value]));
}
