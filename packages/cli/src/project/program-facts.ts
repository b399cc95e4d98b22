/** What an operator says of itself: its program is run, and writes that down instead of starting. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CliError } from '@kurator/command';
import type { OperatorFacts } from '@kurator/runtime';

/** Declaring an operator takes a fraction of a second; a program that takes so long is doing something else. */
const PATIENCE = 30_000;

/** @param program A file that Node can run. */
export async function programFacts(program: string, cwd: string, signal?: AbortSignal): Promise<OperatorFacts> {
  const folder = await mkdtemp(join(tmpdir(), 'kurator-facts-'));
  try {
    const file = join(folder, 'facts.json');
    const said = await runToEnd(program, cwd, file, signal);
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text !== undefined) return JSON.parse(text) as OperatorFacts;
    throw new CliError('KUR_CLI_OPERATOR', `the program ends without running an operator:\n${gist(said)}`, {
      remedy: 'call `.run()` on the operator, and do nothing before that which needs a cluster',
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Gives what the program wrote on standard error. */
async function runToEnd(program: string, cwd: string, file: string, signal?: AbortSignal): Promise<string> {
  const deadline = AbortSignal.timeout(PATIENCE);
  const child = spawn(process.execPath, [program], {
    cwd,
    env: { ...process.env, KURATOR_FACTS: file },
    stdio: ['ignore', 'ignore', 'pipe'],
    signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    killSignal: 'SIGKILL',
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
  });
  return await new Promise((resolve, reject) => {
    child.once('error', () => {
      if (signal?.aborted) reject(signal.reason);
      else resolve(`${said}\nit was still running after ${PATIENCE / 1000} s`);
    });
    child.once('close', () => resolve(said));
  });
}

/** What Node says of an error, without its own frames. Pure. */
export function gist(said: string): string {
  const lines = said.trim().split('\n');
  const kept = lines.filter((line) => !/^\s+at .*node:internal|^Node\.js v|^node:internal/.test(line));
  return kept.join('\n').trim() || 'it said nothing';
}
