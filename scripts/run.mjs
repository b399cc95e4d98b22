#!/usr/bin/env node
/**
 * Runs a script of this repository on a machine that has only npm and some Node, 20 or newer:
 *
 *     node scripts/run.mjs [--in-callers-folder | --sets-up] SCRIPT [ARGUMENTS]
 *
 * With `--sets-up` the script may install what it needs where nobody can be asked.
 *
 * It brings a newer Node and the packages where they are missing, then hands over. What it says goes to standard
 * error, so that the script's own output stays clean. It runs before `npm ci`, hence on Node's own modules alone.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChild } from './setup/child.mjs';
import { consentToInstall } from './setup/consent.mjs';
import { Interrupted, SetupError } from './setup/error.mjs';
import { bringNode } from './setup/node.mjs';
import { bringPackages } from './setup/packages.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const NODE_FLAGS = ['--conditions=source', '--disable-warning=ExperimentalWarning'];

/** @param {string[]} commandLine */
async function main(commandLine) {
  const [inCallersFolder, setsUp] = ['--in-callers-folder', '--sets-up'].map((flag) => commandLine[0] === flag);
  const [script, ...args] = inCallersFolder || setsUp ? commandLine.slice(1) : commandLine;
  if (script === undefined) throw new SetupError('No script was named.', 'Say `node scripts/run.mjs SCRIPT`.');

  const node = await bringNode();
  await bringPackages(root, node);

  const ended = await runChild(node, [...NODE_FLAGS, join(root, script), ...args], {
    stdio: 'inherit',
    cwd: (inCallersFolder && process.env.INIT_CWD) || root,
    env: {
      ...process.env,
      ...(setsUp ? consentToInstall() : {}),
      PATH: `${dirname(node)}:${process.env.PATH ?? ''}`,
      npm_node_execpath: node,
    },
  });
  if (ended.signal) throw new Interrupted(ended.signal);
  process.exitCode = ended.code;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  // Ended by the same signal, so that a shell or CI above sees what really happened.
  if (error instanceof Interrupted) process.kill(process.pid, error.signal);
  else if (error instanceof SetupError) console.error(`\n${error.message}\n${error.remedy}`);
  else console.error(error);
  process.exitCode = 1;
}
