/** `kurator approve`, `pause` and `resume`: a person's word to the healer, written where it reads it. */
import { type Client, hasCode } from '@kurator/client';
import { SelfSubjectReview } from '@kurator/client/authentication/v1';
import { type Action, CliError, confirm, safeLine } from '@kurator/command';
import { type ClusterOptions, inCluster, type Reached } from '@kurator/command/kube';
import { findIncident, fullName, listed, meantServices } from './find.ts';
import { type Incident, incidents, type Kurator, kurators } from './kinds.ts';
import type { Selection } from './placed.ts';
import { type Mode, readSwitch, turnSwitch } from './switch.ts';

/** In whose name it is written: the healer tells it from its own writing, and others from `kubectl`. */
const fieldManager = 'kurator-cli';
const longestName = 253;

interface OrderOptions extends ClusterOptions, Selection {
  readonly all?: boolean;
  readonly yes?: boolean;
}

interface PauseOptions extends OrderOptions {
  readonly everything?: boolean;
  readonly observe?: boolean;
  readonly reason?: string;
}

export const approve: Action<OrderOptions, [string]> = async ({ print, signal }, options, name) =>
  await inCluster(options, async (reached) => {
    const incident = await findIncident(reached, name, signal);
    const proposal = await proposalOf(reached, incident, signal);
    const { metadata, spec } = incident;
    if (spec.approve === proposal.id) {
      print(safeLine(`${fullName(incident)}: ${proposal.step} was approved already`));
      return 0;
    }
    const patch = [
      { op: 'test', path: '/status/proposal/id', value: proposal.id },
      { op: 'add', path: '/spec/approve', value: proposal.id },
      { op: 'add', path: '/spec/approvedBy', value: await whoAsks(reached, signal) },
    ];
    await reached.client.patch(incidents, metadata, patch, { type: 'json', fieldManager, signal }).catch((error) => {
      throw hasCode(error, 'KUR_CLIENT_INVALID') ? changed(incident, error) : error;
    });
    print(safeLine(`${fullName(incident)}: ${proposal.step} is approved: ${proposal.reason}`));
    return 0;
  });

/** As the API server knows them. */
async function whoAsks({ client }: Reached, signal: AbortSignal): Promise<string> {
  const { status } = await client.create(SelfSubjectReview, { metadata: {} } as never, { signal });
  return status?.userInfo?.username?.slice(0, longestName) ?? 'unknown';
}

async function proposalOf({ client }: Reached, incident: Incident, signal: AbortSignal) {
  const { status, spec, metadata } = incident;
  const full = fullName(incident);
  const { proposal, stage = 'new', closedAt } = status ?? {};
  if (!proposal || closedAt) {
    throw new CliError(
      'KUR_CLI_NOTHING_TO_APPROVE',
      `${full} (${closedAt ? 'closed' : stage}) waits for nobody's approval`,
      {
        remedy: 'see which do: kurator incidents --state waiting',
      },
    );
  }
  const service = await client.find(kurators, { name: spec.service, namespace: metadata.namespace }, { signal });
  const mode = await modeIfKnown(client, signal);
  const only = service?.spec.dryRun
    ? (['is of a dry run', `take spec.dryRun off Kurator ${spec.service}`] as const)
    : mode !== 'On' && ([`the switch is ${mode}`, 'kurator resume --everything'] as const);
  if (only) {
    const [why, remedy] = only;
    throw new CliError('KUR_CLI_NOTHING_TO_APPROVE', `${full}: ${why}, so nothing is done, approved or not`, {
      remedy,
    });
  }
  return proposal;
}

/** The switch is the whole cluster's: who has rights in a namespace alone may approve without knowing what it says. */
async function modeIfKnown(client: Client, signal: AbortSignal): Promise<Mode> {
  try {
    return (await readSwitch(client, signal))?.mode ?? 'On';
  } catch (error) {
    if (hasCode(error, 'KUR_CLIENT_FORBIDDEN')) return 'On';
    throw error;
  }
}

/** What is approved must be what was read. */
function changed(incident: Incident, cause: unknown): CliError {
  const message = `${fullName(incident)} has changed meanwhile: nothing was approved`;
  return new CliError('KUR_CLI_CHANGED', message, {
    remedy: `read it again: kurator explain ${incident.metadata.name}`,
    cause,
  });
}

export const pause: Action<PauseOptions, [string[]]> = async ({ print, signal }, options, names) =>
  await inCluster(options, async (reached) => {
    if (options.everything) {
      checkAlone(names, options);
      const mode = options.observe ? 'Observe' : 'Off';
      print(safeLine(await turnSwitch(reached.client, mode, options.reason, signal)));
      return 0;
    }
    const wanted = await meant(reached, names, options, signal);
    await confirmAll(wanted, options);
    for (const kurator of wanted) {
      const isPaused = kurator.spec.pause;
      if (!isPaused) await setPause(reached.client, kurator, true, signal);
      print(
        `${fullName(kurator)}: ${isPaused ? 'was paused already' : 'is paused: it is watched, and nothing is done'}`,
      );
    }
    return 0;
  });

/** Asks before healing ends for the whole cluster, one service after the other. */
async function confirmAll(wanted: readonly Kurator[], options: OrderOptions): Promise<void> {
  if (!options.all || !options.allNamespaces || wanted.every(({ spec }) => spec.pause)) return;
  await confirm(`Pause all ${wanted.length} services of the cluster, so that nothing is repaired?`, options);
}

export const resume: Action<PauseOptions, [string[]]> = async ({ print, signal }, options, names) =>
  await inCluster(options, async (reached) => {
    if (options.everything) {
      checkAlone(names, options);
      print(safeLine(await turnSwitch(reached.client, 'On', options.reason, signal)));
      return 0;
    }
    const all = await listed(reached, incidents, signal);
    for (const kurator of await meant(reached, names, options, signal)) {
      const done: string[] = [];
      if (kurator.spec.pause) {
        await setPause(reached.client, kurator, false, signal);
        done.push('is not paused any more');
      }
      const left = all.find((incident) => isLeftToPerson(incident, kurator));
      if (left) {
        const again = { spec: { resume: (left.spec.resume ?? 0) + 1 } };
        await reached.client.patch(incidents, left.metadata, again, { fieldManager, signal });
        done.push(`incident ${left.metadata.name} (${left.status?.stage}) is given back to the healer`);
      }
      print(safeLine(`${fullName(kurator)}: ${done.join('; ') || 'was neither paused nor handed over'}`));
    }
    return 0;
  });

function isLeftToPerson({ metadata, spec, status }: Incident, kurator: Kurator): boolean {
  if (metadata.namespace !== kurator.metadata.namespace || spec.service !== kurator.metadata.name) return false;
  return !status?.closedAt && (status?.stage === 'handedOver' || status?.stage === 'quarantined');
}

async function setPause(client: Client, { metadata }: Kurator, value: boolean, signal: AbortSignal): Promise<void> {
  await client.patch(kurators, metadata, { spec: { pause: value } }, { fieldManager, signal });
}

/** The switch is the whole cluster's: whoever also names services means something else. */
function checkAlone(names: readonly string[], { all, selector }: OrderOptions): void {
  if (all || selector !== undefined || names.length > 0) {
    const why = '--everything is the switch of the whole cluster: leave out names, -l and --all';
    throw new CliError('KUR_CLI_USAGE', why);
  }
}

async function meant(
  reached: Reached,
  names: readonly string[],
  options: OrderOptions,
  signal: AbortSignal,
): Promise<Kurator[]> {
  const { all = false, selector } = options;
  if (all && (names.length > 0 || selector !== undefined)) {
    throw new CliError('KUR_CLI_USAGE', 'give names, -l or --all, not several of them');
  }
  if (!all && names.length === 0 && selector === undefined) {
    throw new CliError('KUR_CLI_USAGE', 'name a service, or give -l or --all');
  }
  return await meantServices(reached, names, options, signal);
}
