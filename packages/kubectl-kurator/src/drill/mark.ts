/** One drill at a time: which one is under way stands on the Kurator, where everybody sees it. */
import { type Client, hasCode, isConflict } from '@kurator/client';
import { CliError } from '@kurator/command';
import { type Kurator, kurators } from '../healer/kinds.ts';
import { type FaultName, faultNames } from './faults.ts';

/** On a Kurator: the drill that is under way. On an Incident: the drill that it was made by. */
export const drillAnnotation = 'kurator.sh/drill';

/** What is known of a drill that is under way, enough to end it. */
export interface Mark {
  readonly id: string;
  readonly fault: FaultName;
  /** When the fault ends by itself. RFC 3339. */
  readonly until: string;
  /** Whose instances these are, where it is not the service's own: `namespace/name`. */
  readonly dependency?: string;
  readonly pods: readonly string[];
  /** Which container of them, where it was named. */
  readonly container?: string;
}

const fieldManager = 'kurator-drill';

/** The drill that is under way; one whose time is over is none. */
export function markOf({ metadata }: Kurator, now: number): Mark | undefined {
  const text = metadata.annotations?.[drillAnnotation];
  if (!text) return undefined;
  try {
    const mark = JSON.parse(text) as Mark;
    const isOne = faultNames.includes(mark.fault) && Array.isArray(mark.pods) && Date.parse(mark.until) > now;
    return isOne ? mark : undefined;
  } catch {
    return undefined;
  }
}

/** Writes it down, unless somebody else was first. */
export async function claim(client: Client, { metadata }: Kurator, mark: Mark, signal: AbortSignal): Promise<void> {
  // The healer writes the status now and then: that is no reason to give up.
  for (let tries = 10; ; tries--) {
    const now = await client.get(kurators, metadata, { signal });
    const other = markOf(now, Date.now());
    if (other) {
      const { why, remedy } = underWay(now, other);
      throw new CliError('KUR_CLI_DRILL_REFUSED', why, { remedy });
    }
    const { resourceVersion = '' } = now.metadata;
    const patch = { metadata: { resourceVersion, annotations: { [drillAnnotation]: JSON.stringify(mark) } } };
    try {
      await client.patch(kurators, metadata, patch, { fieldManager, signal });
      return;
    } catch (error) {
      if (!isConflict(error) || tries <= 1) throw error;
    }
  }
}

/** Why there can't be another one now, and what helps. */
export function underWay({ metadata }: Kurator, { fault, until }: Mark): { why: string; remedy: string } {
  return {
    why: `a drill (${fault}) of ${metadata.name} is under way until ${until}`,
    remedy: `wait for it, or end it: kurator drill ${metadata.name} --heal`,
  };
}

/** Takes it away, if it is still this one. */
export async function release(client: Client, { metadata }: Kurator, id: string): Promise<void> {
  const now = await client.find(kurators, metadata);
  const text = now?.metadata.annotations?.[drillAnnotation];
  if (!text?.includes(id)) return;
  const path = `/metadata/annotations/${drillAnnotation.replace('/', '~1')}`;
  const patch = [
    { op: 'test', path, value: text },
    { op: 'remove', path },
  ];
  await client.patch(kurators, metadata, patch, { type: 'json', fieldManager }).catch((error: unknown) => {
    // Somebody else's by now, or gone.
    if (!hasCode(error, 'KUR_CLIENT_INVALID') && !hasCode(error, 'KUR_CLIENT_NOT_FOUND')) throw error;
  });
}
