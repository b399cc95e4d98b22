/** The switch of the whole cluster, as the command turns it. */
import { type Client, hasCode, isNotFound, type UntypedObject, untyped } from '@kurator/client';
import { type ActionContext, safeLine } from '@kurator/command';
import { type KuratorSwitch, switchName as name, switches } from './kinds.ts';

/** In whose name it is written: a person's, which an installation never overwrites. */
const fieldManager = 'kurator-cli';
const longestReason = 1024;

/** What the switch can say. */
export type Mode = 'Off' | 'Observe' | 'On';

/** What it says, and of whom it is. */
export type SwitchState = Pick<KuratorSwitch['spec'], 'mode' | 'by'>;

const meaning: Readonly<Record<Mode, string>> = {
  Off: 'nothing is begun any more, for no service; `kurator resume --everything` turns it on again',
  Observe: 'nothing is done; `kurator report` tells what would have been, `kurator resume --everything` turns it on',
  On: 'services are repaired, but for those that are paused',
};

/** Undefined where there is none, or no such kind. */
export async function readSwitch(client: Client, signal: AbortSignal): Promise<SwitchState | undefined> {
  try {
    return (await client.find(switches, { name }, { signal }))?.spec;
  } catch (error) {
    if (hasCode(error, 'KUR_CLIENT_UNKNOWN_KIND')) return undefined;
    throw error;
  }
}

/** For when nobody obeys it any more: the next installation begins anew. */
export async function deleteSwitch(client: Client, signal: AbortSignal): Promise<void> {
  await client.delete(switches, { name }, { signal }).catch((error) => {
    if (!isNotFound(error)) throw error;
  });
}

/** Turns it; says what that means. */
export async function turnSwitch(
  client: Client,
  mode: Mode,
  reason: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  const before = await client.find(switches, { name }, { signal });
  if (before?.spec.mode === mode && isPersons(before, reason))
    return `the switch of the cluster was ${mode} already: ${meaning[mode]}`;
  const by = await userName(client, signal);
  const spec = { mode, ...(by && { by: by.slice(0, 253) }), ...(reason && { reason: reason.slice(0, longestReason) }) };
  await client.apply(switches, { metadata: { name }, spec }, { fieldManager, force: true, signal });
  return `the switch of the cluster is ${mode}: ${meaning[mode]}`;
}

/** Said by a person before, and for the same reason; what an installation has set would be overruled by the next one. */
function isPersons({ metadata, spec }: KuratorSwitch, reason: string | undefined): boolean {
  const isOurs = metadata.managedFields?.some(
    ({ manager, operation, fieldsV1 }) =>
      manager === fieldManager &&
      operation === 'Apply' &&
      'f:mode' in ((fieldsV1 as Owned | undefined)?.['f:spec'] ?? {}),
  );
  return (isOurs ?? false) && (reason === undefined || reason.slice(0, longestReason) === spec.reason);
}

type Owned = { readonly 'f:spec'?: object };

/** Says what people must know before they read how services are; nothing where they are repaired. */
export async function saySwitch(client: Client, { say, signal }: Pick<ActionContext, 'say' | 'signal'>): Promise<void> {
  try {
    const notice = noticeOf((await client.find(switches, { name }, { signal }))?.spec);
    if (notice) say(notice);
  } catch {
    // Who may not read it may still read how the services are.
    signal.throwIfAborted();
  }
}

/** Pure. */
export function noticeOf(spec: { mode: Mode; by?: string | undefined; reason?: string | undefined } | undefined) {
  if (!spec || spec.mode === 'On') return undefined;
  const { mode, by, reason } = spec;
  const who = by ? `, set by ${by}` : '';
  const why = reason ? ` (${reason})` : '';
  return safeLine(`The switch of the cluster is ${mode}${who}${why}: ${meaning[mode]}.`);
}

/** As the cluster knows whoever asks; nobody is kept from turning the switch because it does not say. */
async function userName(client: Client, signal: AbortSignal): Promise<string | undefined> {
  try {
    const review = await client.create(reviews, { metadata: {} } as UntypedObject, { signal });
    const { userInfo } = (review.status ?? {}) as { userInfo?: { username?: string } };
    return userInfo?.username;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

const reviews = untyped('authentication.k8s.io/v1', 'SelfSubjectReview', { namespaced: false });
