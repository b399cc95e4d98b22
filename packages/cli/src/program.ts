/** The whole command line as a tree of commands: what can be typed, and the help for it. Nothing here does anything. */
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import type { Session } from './action.ts';
import { declareBuild } from './build/command.ts';
import { declareBundle } from './bundle/command.ts';
import { declareCluster } from './cluster/commands.ts';
import { declareCompletion } from './completion/command.ts';
import { declareCreate } from './create/commands.ts';
import { declareDeploy, declareUndeploy } from './deploy/command.ts';
import { declareDev } from './dev/command.ts';
import { declareDoctor } from './doctor/command.ts';
import { USAGE } from './exit-code.ts';
import { declareGenerate } from './generate/command.ts';
import { declareHealer } from './healer/commands.ts';
import { declareImage } from './image/commands.ts';
import { declareInit } from './init/command.ts';
import { declareInstall } from './install/command.ts';
import { declarePush } from './push/commands.ts';
import { declareScorecard } from './scorecard/command.ts';
import { declareTour } from './tour/command.ts';

/** The tree of commands, for one session. */
export function createProgram(session: Session): Command {
  const program = emptyProgram('kurator', session).description(
    'Kubernetes operators in TypeScript, from an empty folder to a cluster; and a real Kubernetes on this machine.',
  );

  declareInit(program, session);
  declareCreate(program, session);
  declareGenerate(program, session);
  declareDev(program, session);
  declareBuild(program, session);
  declarePush(program, session);
  declareDeploy(program, session);
  declareUndeploy(program, session);
  declareBundle(program, session);
  declareScorecard(program, session);
  declareCluster(program, session);
  declareImage(program, session);
  declareDoctor(program, session);
  declareTour(program, session);
  declareInstall(program, session);
  declareHealer(program, session);
  declareCompletion(program, session);

  program.addHelpText(
    'after',
    `
Examples:
  kurator tour                            see what this is in two minutes
  kurator init --domain example.com web   a new operator
  kurator cluster up --nodes 3            three real nodes
  export KUBECONFIG="$(kurator cluster kubeconfig --path)"
  kurator doctor                          what this machine can run
`,
  );
  return program;
}

/** What can be typed with `kubectl kurator`: what one does with a cluster that has the healer. */
export function createPlugin(session: Session): Command {
  const program = emptyProgram('kubectl kurator', session).description(
    'Services that Kurator keeps healthy: how they are, what happened to them, and why.',
  );
  declareHealer(program, session);
  return program;
}

/** One without commands, which talks to the session. */
function emptyProgram(name: string, session: Session): Command {
  return (
    new Command(name)
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
      .exitOverride()
  );
}

/** Parses a command line and does what it says. The session learns the exit code. */
export async function runCommandLine(
  args: readonly string[],
  session: Session,
  create: (session: Session) => Command = createProgram,
): Promise<void> {
  try {
    await create(session).parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    session.exit(error.exitCode === 0 ? 0 : USAGE);
  }
}

function ownVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
