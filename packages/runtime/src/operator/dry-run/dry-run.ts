/** Reconciles everything once against the live clusters, and tells what would be written. Nothing is. */
import { type Client, createClient, type KubernetesObject, loadConfig } from '@kurator/client';
import { PermanentError } from '../../controller/permanent-error.ts';
import { type Duration, parseDuration } from '../../duration.ts';
import { keyOf, referenceOf } from '../../object-key.ts';
import type { OperatorDefinition } from '../definition.ts';
import { type ControllerScope, openControllerScope } from '../internal/controller-scope.ts';
import { isReconciled } from '../internal/declared-kinds.ts';
import { reconcileSteps } from '../internal/reconcile.ts';
import { type OperatorOptions, settleOptions } from '../operator-options.ts';
import { openDryClusters } from './dry-clusters.ts';
import { Findings } from './findings.ts';
import type { DryRunReport } from './report.ts';

/** Options of a dry run. */
export interface DryRunOptions extends Pick<OperatorOptions, 'namespaces' | 'log'> {
  /** Unless given, one as `loadConfig` finds it. */
  client?: Client;
  signal?: AbortSignal;
  /** How long one reconcile may take; 1 minute unless given. */
  timeout?: Duration;
}

const AT_ONCE = 8;

export async function dryRunOperator(
  definition: OperatorDefinition,
  name: string,
  options: DryRunOptions = {},
): Promise<DryRunReport> {
  const { logger, namespaces } = settleOptions({ log: 'warn', ...definition.options, ...options });
  const timeout = parseDuration(options.timeout ?? '1m', 'timeout');
  const client = options.client ?? createClient(await loadConfig());
  const findings = new Findings();
  const over = new AbortController();
  const signal = options.signal ? AbortSignal.any([over.signal, options.signal]) : over.signal;
  const dryClusters = await openDryClusters(definition, { client, namespaces, findings });
  try {
    await dryClusters.synced(signal);
    for (const controller of definition.controllers.filter(isReconciled)) {
      const scope = openControllerScope(controller, {
        operator: name,
        clusters: dryClusters.clusters,
        logger,
        dryRun: true,
      });
      await reconcileAll(scope, findings, { signal, timeout });
    }
    return findings.report();
  } finally {
    over.abort();
    await dryClusters.close();
    if (!options.client) await client.close();
  }
}

interface Patience {
  readonly signal: AbortSignal;
  readonly timeout: number;
}

async function reconcileAll(scope: ControllerScope, findings: Findings, patience: Patience): Promise<void> {
  const parts = reconcileSteps(scope);
  const objects = scope.cache.list().toSorted((a, b) => keyOf(a).localeCompare(keyOf(b)));
  const next = objects.values();
  const worker = async () => {
    for (const object of next) await reconcileOne(parts, object, findings, patience);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  patience.signal.throwIfAborted();
}

async function reconcileOne(
  { reconcile, onPermanentError }: ReturnType<typeof reconcileSteps>,
  object: KubernetesObject,
  findings: Findings,
  { signal, timeout }: Patience,
): Promise<void> {
  const key = keyOf(object);
  const whom = `${object.kind} ${key}`;
  // A clean-up undoes things in the world, where no server keeps it from doing so.
  if (object.metadata.deletionTimestamp) return findings.cleanup(whom);
  const either = AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
  const context = { key, reference: referenceOf(key), signal: either, failures: 0 };
  await findings.about(whom, async () => {
    try {
      await reconcile(object, context);
    } catch (error) {
      if (error instanceof PermanentError) await onPermanentError(object, error, context);
      throw error;
    }
  });
}
