/** The peer in Node: what one writes first. A timer for each check, node:http or fetch, a new connection each time. */
import { get } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../figures/quantile.ts';
import { type Findings, type Load, loadFromEnvironment, targetOf } from './load.ts';

type Ask = (i: number, load: Load) => Promise<boolean>;

const askTcp: Ask = (i, load) =>
  new Promise((resolve) => {
    const socket = connect({ ...targetOf(i, load), timeout: load.timeoutMs });
    const end = (healthy: boolean) => {
      socket.destroy();
      resolve(healthy);
    };
    socket.on('connect', () => end(true));
    socket.on('timeout', () => end(false));
    socket.on('error', () => end(false));
  });

const askHttp: Ask = (i, load) =>
  new Promise((resolve) => {
    const request = get(
      { ...targetOf(i, load), path: '/healthz', agent: false, timeout: load.timeoutMs },
      (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode === 200));
      },
    );
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });

const askFetch: Ask = async (i, load) => {
  const { host, port } = targetOf(i, load);
  const options = { headers: { connection: 'close' }, signal: AbortSignal.timeout(load.timeoutMs) };
  return await fetch(`http://${host}:${port}/healthz`, options).then(
    async (response) => (await response.text()) !== '' && response.status === 200,
    () => false,
  );
};

const load = loadFromEnvironment(process.env);
const overHttp = process.env.CLIENT === 'fetch' ? askFetch : askHttp;
const ask = load.kind === 'tcp' ? askTcp : overHttp;
const late: number[] = [];
let results = 0;
let failed = 0;
let missed = 0;
let measuring = false;

function note(healthy: boolean, lateness: number): void {
  if (!measuring) return;
  results++;
  if (!healthy) failed++;
  late.push(lateness);
}

function every(i: number, due: number): void {
  setTimeout(
    async () => {
      const lateness = performance.now() - due;
      note(await ask(i, load), Math.max(0, lateness));
      const skipped = Math.max(0, Math.floor((performance.now() - due) / load.intervalMs - 1));
      if (measuring) missed += skipped;
      every(i, due + load.intervalMs * (1 + skipped));
    },
    Math.max(0, due - performance.now()),
  );
}

async function flatOut(first: number): Promise<void> {
  for (let i = first; ; i += load.checks) note(await ask(i, load), 0);
}

for (let i = 0; i < load.checks; i++) {
  if (load.flatOut) void flatOut(i);
  else every(i, performance.now() + Math.random() * load.intervalMs);
}
await delay(load.warmSeconds * 1000);
measuring = true;
console.log('begin');
await delay(load.measureSeconds * 1000);
measuring = false;
const findings: Findings = { results, failed, missed, p50: percentile(late, 0.5), p99: percentile(late, 0.99) };
console.log('end', JSON.stringify(findings));
