/** Runs npm quietly, and turns its failures into one sentence with a remedy. */
import { dirname } from 'node:path';
import { runChild } from './child.mjs';
import { Interrupted, SetupError } from './error.mjs';

const UNREACHABLE =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT)\b/;
const NO_SPACE = /\bENOSPC\b/;

/**
 * The npm that runs us, else the one on the path. Other package managers set `npm_execpath` too.
 *
 * @param {string | undefined} execPath
 * @param {string} node
 * @returns {{ command: string, prefix: string[] }}
 */
export function npmCommand(execPath, node) {
  if (execPath && /npm-cli\.[cm]?js$/.test(execPath)) return { command: node, prefix: [execPath] };
  return { command: 'npm', prefix: [] };
}

/**
 * @param {string[]} args
 * @param {{ cwd: string, node: string }} where the folder, and the Node that npm and its scripts run on
 */
export async function runNpm(args, { cwd, node }) {
  const { command, prefix } = npmCommand(process.env.npm_execpath, node);
  // Under `npm run -s` npm would keep even its errors to itself.
  const ended = await runChild(command, [...prefix, ...args, '--loglevel=error'], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    // npm first finishes and then undoes what it began, for many seconds. What it leaves we recognise and remove.
    graceMs: 500,
    env: { ...process.env, PATH: `${dirname(node)}:${process.env.PATH ?? ''}` },
  }).catch((error) => {
    throw npmMissing(error);
  });
  if (ended.asked) throw new Interrupted(ended.asked);
  if (ended.code !== 0) throw npmFailed(args, ended.output);
}

/** @param {NodeJS.ErrnoException} error */
function npmMissing(error) {
  if (error.code !== 'ENOENT') return error;
  return new SetupError('npm is not installed.', 'Install it with Node: https://nodejs.org/en/download');
}

/**
 * @param {string[]} args
 * @param {string} output
 */
export function npmFailed(args, output) {
  const command = `npm ${args.join(' ')}`;
  const code = UNREACHABLE.exec(output)?.[1];
  if (code) {
    return new SetupError(
      `The package registry can't be reached (${code} in \`${command}\`).`,
      'Check the network, the proxy settings and `npm config get registry`, then run the same command again.',
    );
  }
  if (NO_SPACE.test(output)) {
    return new SetupError(
      `The disk is full (ENOSPC in \`${command}\`).`,
      'Make room, then run the same command again.',
    );
  }
  const said = output.trim().split('\n').slice(-8).join('\n');
  return new SetupError(
    `\`${command}\` failed:\n${said}`,
    'Mend what npm names above, then run the same command again.',
  );
}
