/** Runs a program in the foreground, as a shell would: it has the terminal, and its exit code is ours. */
import { spawn } from 'node:child_process';
import { exitCodeOfSignal } from '@kurator/command';

export async function inForeground(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  const child = spawn(command, args, { stdio: 'inherit', env });
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    // Ctrl-C reaches the program by itself; a request to end this command is passed on.
    const pass = () => child.kill('SIGTERM');
    process.once('SIGTERM', pass);
    child.once('exit', (code, signal) => {
      process.off('SIGTERM', pass);
      resolve(signal ? exitCodeOfSignal(signal) : (code ?? 0));
    });
  });
}
