/**
 * One process a cluster: it starts every part, holds them, answers on the control socket, and takes all down
 * when it is asked to (SIGTERM, or over its socket) or when its owner is gone. Run as `main.ts FOLDER`.
 */
import { createInterface } from 'node:readline';
import { inspect } from 'node:util';
import { createFaultInjector } from '../../faults/injection/injector.ts';
import { cgroupOf } from '../../machines/cgroups.ts';
import type { Reporter } from '../../reporter.ts';
import { clusterFiles, readConfig } from '../cluster-config.ts';
import { recordHolder } from '../lifetime.ts';
import { serveControl } from './control-server.ts';
import { detachWord, errorMessage, type SupervisorMessage } from './messages.ts';
import { startReaper } from './reaper.ts';
import { startCluster } from './running-cluster.ts';
import { Undo } from './undo.ts';

const folder = process.argv[2];
if (!folder) throw new Error('the supervisor needs the folder of its cluster');

process.title = 'kurator-supervisor';
process.stdout.on('error', () => {});

/** Standard error is the supervisor's log file. */
function log(message: string, error?: unknown): void {
  const detail = error === undefined ? '' : ` ${inspect(error)}`;
  process.stderr.write(`${new Date().toISOString()} ${message}${detail}\n`);
}

function tell(message: SupervisorMessage): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

const reporter: Reporter = {
  info: (message) => tell({ type: 'info', message }),
  verbose: (message) => tell({ type: 'verbose', message }),
  progress: (task, fraction, detail) =>
    tell({ type: 'progress', task, ...(fraction === undefined ? {} : { fraction }), ...(detail ? { detail } : {}) }),
};

const files = clusterFiles(folder);
await recordHolder(folder, 'supervisor');
const config = await readConfig(folder);
const reaper = startReaper(folder, cgroupOf(config));
const undo = new Undo();
let ending: Promise<never> | undefined;

/** Takes everything down; files and what could not be undone are the reaper's. */
function end(why: string): Promise<never> {
  ending ??= (async () => {
    log(`taking the cluster down: ${why}`);
    reaper.expectEnd();
    for (const failure of await undo.all()) log('could not undo a step:', failure);
    process.exit(0);
  })();
  return ending;
}

process.on('SIGTERM', () => void end('asked by SIGTERM'));
process.on('SIGINT', () => void end('asked by SIGINT'));
process.on('SIGHUP', () => {});

let detached = false;
const owner = createInterface({ input: process.stdin });
owner.on('line', (line) => {
  if (line === detachWord) detached = true;
});
owner.on('close', () => {
  if (!detached) void end('its owner is gone');
});

try {
  const cluster = await startCluster(config, folder, undo, reporter);
  const faults = createFaultInjector(cluster);
  const server = await serveControl({ cluster, faults, end: () => void end('asked over its socket') }, files.socket);
  undo.add(() => server.close());
  tell({ type: 'ready' });
} catch (error) {
  if (!ending) {
    log('could not start:', error);
    await undo.all();
    tell({ type: 'failed', ...errorMessage(error, 'KUR_TESTENV_START') });
    // What was still being started is ended with this process, and swept by the reaper.
    process.exitCode = 1;
    process.stdout.end(() => process.exit());
  }
}
