/**
 * A process of its own, which runs a project's operator for `kurator dev`. It comes up warm (the SDK is loaded), loads the
 * operator's code when told, and starts it when told again: so a mistake in the code is found while the earlier process
 * still works. It is used once. Run as `run-process.ts FILE`, with a channel.
 */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { messageOf } from '@kurator/client/notation';
import type { Logger, Operator, RunningOperator } from '@kurator/runtime';
import type { DevSettings, Order, Report } from './messages.ts';
import { Reasons } from './reasons.ts';

// Who saves a file or presses Ctrl-C doesn't want to wait: a reconcile that takes longer is broken off, which harms nothing.
const GRACE_PERIOD = '6s';

const [file = ''] = process.argv.slice(2);
const sdk = (await import(
  pathToFileURL(createRequire(file).resolve('@kurator/sdk')).href
)) as typeof import('@kurator/sdk');

let operator: Operator | undefined;
let starting: Promise<RunningOperator> | undefined;
const ending = new AbortController();

function tell(report: Report): void {
  if (process.connected) process.send?.(report);
}

const orders: Record<Order['order'], (order: Order) => Promise<void>> = {
  async load() {
    operator = await findOperator(file);
    const crds = operator.resources.map(({ plural, definition }) => `${plural}.${definition.group}`);
    tell({ report: 'loaded', operator: { name: operator.name, crds } });
  },
  async start(order) {
    if (!operator || order.order !== 'start') return;
    starting = start(operator, order.settings);
    const { ended } = await starting;
    if (!ending.signal.aborted) tell({ report: 'up' });
    await ended;
  },
  async stop() {
    // Its webhooks may be registered long before it is up.
    ending.abort();
    await starting?.then((running) => running.stop()).catch(() => {});
    process.exit(0);
  },
};

process.on('message', (order: Order) => {
  orders[order.order](order).catch((error: unknown) => {
    tell({ report: 'failed', text: textOf(error) });
  });
});
// Whoever started it is gone: nobody would see what it does.
process.on('disconnect', () => void orders.stop({ order: 'stop' }));
// Ctrl-C reaches every process of the terminal; the command decides what becomes of it.
process.on('SIGINT', () => {});
tell({ report: 'warm' });

async function start(operator: Operator, settings: DevSettings): Promise<RunningOperator> {
  const { createClient, loadConfig } = sdk;
  const { context, namespaces, webhookPort, verbose, identity, leaseNamespace } = settings;
  const client = createClient(await loadConfig(context ? { context } : {}));
  const reasons = new Reasons(operator.resources.map(({ kind }) => kind));
  const started = await operator.start({
    client,
    signal: ending.signal,
    log: reportingLogger(reasons, verbose),
    webhooks: { listen: { port: webhookPort } },
    installCrds: 'compatible',
    gracePeriod: GRACE_PERIOD,
    // Whoever runs it elsewhere, another desk or a deployment, must not do so at the same time.
    leaderElection: { identity: `${identity}_${process.pid}`, namespace: leaseNamespace },
    ...(namespaces ? { namespaces } : {}),
  });
  for (const cache of started.manager.caches.all()) {
    const { kind } = cache.type;
    cache.listen((change) => {
      if (change.initial) return;
      const { type, key } = change;
      reasons.note({ type, key, kind, object: change.object(), previous: change.previous() }, performance.now());
    });
  }
  return started;
}

/** Reconciles become reports of their own. */
function reportingLogger(reasons: Reasons, verbose: boolean, fields: Record<string, unknown> = {}): Logger {
  const write = (level: 'debug' | 'info' | 'warn' | 'error') => (more: object, message: string) => {
    const all: Record<string, unknown> = { ...fields, ...more };
    if (typeof all.outcome === 'string' && typeof all.key === 'string') reconciled(reasons, all);
    else if (level !== 'debug' && (verbose || isNews(level, all)))
      tell({ report: 'log', level, text: logText(message, all) });
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (more) => reportingLogger(reasons, verbose, { ...fields, ...more }),
    isLevelEnabled: () => true,
  };
}

/** What goes wrong, what the author logs about an object, and what is installed. */
function isNews(level: string, { key, runnable }: Record<string, unknown>): boolean {
  return level !== 'info' || key !== undefined || runnable === 'definitions';
}

function reconciled(reasons: Reasons, fields: Record<string, unknown>): void {
  const { kind, key, outcome, durationSeconds, againInSeconds, error } = fields;
  const milliseconds = Number(durationSeconds) * 1000;
  const why = reasons.take(String(kind), String(key), performance.now() - milliseconds);
  // A resync that is hours away is no news.
  const isSoon = typeof againInSeconds === 'number' && outcome !== 'success';
  tell({
    report: 'reconciled',
    kind: String(kind),
    key: String(key),
    outcome: String(outcome),
    milliseconds,
    why,
    ...(isSoon ? { againInSeconds } : {}),
    ...(error === undefined ? {} : { error: messageOf(error) }),
  });
}

function logText(message: string, fields: Record<string, unknown>): string {
  const { operator: _, controller: __, runnable: ___, reconcileId: ____, error, ...rest } = fields;
  const shown = Object.entries(rest).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const why = error === undefined ? [] : [messageOf(error)];
  return [message, ...why, ...shown].join('  ');
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { remedy } = error as Error & { remedy?: string };
  if (remedy) return `${error.message}\n  fix: ${remedy}`;
  return (
    error.stack
      ?.split('\n')
      .filter((line) => !line.includes('node:internal'))
      .join('\n') ?? error.message
  );
}

/** Imports the file, and gives the one operator that it exports. */
async function findOperator(file: string): Promise<Operator> {
  const exported: Record<string, unknown> = await import(pathToFileURL(file).href);
  const found = new Set(Object.values(exported).filter(isOperator));
  const [operator, ...others] = found;
  if (operator && others.length === 0) return operator;
  throw new Error(`${file} exports ${operator ? 'several operators' : 'no operator'}: it must export one`);
}

/** By its methods: the project has packages of its own, whose classes and symbols are others. */
function isOperator(value: unknown): value is Operator {
  const { permissions, start, controller } = (value ?? {}) as Record<string, unknown>;
  return [permissions, start, controller].every((method) => typeof method === 'function');
}
