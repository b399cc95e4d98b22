/** Runs `npm install` in a project. */
import { spawn } from 'node:child_process';
import { CliError } from '@kurator/command';
import type { Reporter } from '@kurator/testenv';

const TASK = 'Installing packages';
const LAST_LINES = 12;

export async function npmInstall(folder: string, reporter: Reporter, signal: AbortSignal): Promise<void> {
  reporter.progress(TASK, undefined);
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error'];
  const child = spawn('npm', args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], signal });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  }).catch((error: unknown) => {
    throw signal.aborted ? signal.reason : notInstalled(folder, String(error));
  });
  reporter.progress(TASK, 1);
  if (code !== 0) throw notInstalled(folder, said.trim().split('\n').slice(-LAST_LINES).join('\n'));
}

function notInstalled(folder: string, said: string): CliError {
  return new CliError('KUR_CLI_INSTALL', `the project is in ${folder}, but npm install failed there:\n${said}`, {
    remedy: `mend what npm says, then run npm install in ${folder}`,
  });
}
