/** The whole command line as a tree of commands: what can be typed, and the help for it. Nothing here does anything. */
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import type { Session } from './action.ts';
import { declareCluster } from './cluster/commands.ts';
import { declareCompletion } from './completion/command.ts';
import { declareDoctor } from './doctor/command.ts';
import { USAGE } from './exit-code.ts';
import { declareImage } from './image/commands.ts';
import { declareTour } from './tour/command.ts';

/** The tree of commands, for one session. */
export function createProgram(session: Session): Command {
  const program = new Command('kurator');
  program
    .description('A real Kubernetes on this machine, for operators and their tests.')
    .version(ownVersion(), '-V, --version', 'print the version of this command')
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
    .exitOverride();

  declareCluster(program, session);
  declareImage(program, session);
  declareDoctor(program, session);
  declareTour(program, session);
  declareCompletion(program, session);

  program.addHelpText(
    'after',
    `
Examples:
  kurator tour                            see what this is in half a minute
  kurator cluster up --nodes 3            three real nodes
  export KUBECONFIG="$(kurator cluster kubeconfig --path)"
  kurator doctor                          what this machine can run
`,
  );
  return program;
}

/** Parses a command line and does what it says. The session learns the exit code. */
export async function runCommandLine(args: readonly string[], session: Session): Promise<void> {
  try {
    await createProgram(session).parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    session.exit(error.exitCode === 0 ? 0 : USAGE);
  }
}

function ownVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
