/** The command as a process: its signals and streams are handled here, and nowhere else. */
import type { Session } from './action.ts';
import { exitCodeOfSignal, Interrupted } from './error.ts';
import { type ProgramFor, runCommandLine } from './program.ts';

/**
 * Runs the command line of this process, to its end.
 *
 * @param create What can be typed.
 */
export async function runProcess(create: ProgramFor): Promise<void> {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // A cluster that is being started goes by itself when this process does.
      if (controller.signal.aborted) process.exit(exitCodeOfSignal(signal));
      controller.abort(new Interrupted(signal));
    });
  }
  // `kurator cluster logs etcd | head`: whoever reads has seen enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  const session: Session = {
    stdout: process.stdout,
    stderr: process.stderr,
    signal: controller.signal,
    exit: (code) => {
      process.exitCode = code;
    },
  };
  await runCommandLine(process.argv.slice(2), session, create);
}
