/**
 * Runs a program as if it had taken our place: what ends us ends it, and we end as it did.
 */
import { spawn } from 'node:child_process';

/** @type {NodeJS.Signals[]} */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * @typedef {object} Ended
 * @property {number} code the exit code; 1 where a signal ended it
 * @property {NodeJS.Signals | null} signal the signal that ended it
 * @property {NodeJS.Signals | undefined} asked the signal that we were sent meanwhile
 * @property {string} output what it printed, where its output was piped: the last 64 KiB
 */

const KEPT_OUTPUT = 64 * 1024;

/**
 * Rejects only when the program can't be started.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions & { graceMs?: number }} options `graceMs` is how long it may take
 *   to end once we are asked to, before it is killed; for ever unless told
 * @returns {Promise<Ended>}
 */
export async function runChild(command, args, { graceMs, ...options }) {
  const child = spawn(command, args, options);
  /** @type {NodeJS.Signals | undefined} */
  let asked;
  let output = '';
  const keep = (/** @type {Buffer} */ chunk) => {
    output = (output + chunk.toString()).slice(-KEPT_OUTPUT);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);

  const forward = (/** @type {NodeJS.Signals} */ signal) => {
    asked = signal;
    if (graceMs !== undefined) setTimeout(() => child.kill('SIGKILL'), graceMs).unref();
    // A terminal sends Ctrl-C to the child as well; passed on, it would count as a second one.
    if (signal === 'SIGINT' && process.stdin.isTTY) return;
    child.kill(signal);
  };
  for (const signal of SIGNALS) process.on(signal, forward);
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve({ code: code ?? 1, signal, asked, output }));
    });
  } finally {
    for (const signal of SIGNALS) process.off(signal, forward);
  }
}
