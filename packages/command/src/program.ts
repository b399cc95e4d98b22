/** A command line as a tree of commands that talks to a session, and one run of it. */
import { Command, CommanderError } from 'commander';
import type { Session } from './action.ts';
import { USAGE } from './error.ts';

/** Makes the tree of commands for one session. It may have to look first which commands there are. */
export type ProgramFor = (session: Session) => Command | Promise<Command>;

/** A tree without commands, which talks to the session. */
export function emptyProgram(name: string, version: string, session: Session): Command {
  return (
    new Command(name)
      .version(version, '-V, --version', 'print the version of this command')
      .helpOption('-h, --help', 'show this help')
      .helpCommand(false)
      // So that `cluster up --version` is Kubernetes' version, not ours.
      .enablePositionalOptions()
      .configureOutput({
        writeOut: (text) => session.stdout.write(text),
        writeErr: (text) => session.stderr.write(text),
        getOutHelpWidth: () => session.stdout.columns || 100,
        getErrHelpWidth: () => session.stderr.columns || 100,
      })
      .showHelpAfterError('(add --help to see how it is used)')
      .exitOverride()
  );
}

/** Parses a command line and does what it says. The session learns the exit code. */
export async function runCommandLine(args: readonly string[], session: Session, create: ProgramFor): Promise<void> {
  try {
    const program = await create(session);
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    session.exit(error.exitCode === 0 ? 0 : USAGE);
  }
}
