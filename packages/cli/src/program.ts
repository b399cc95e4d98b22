/** The whole command line as a tree of commands: what can be typed, and the help for it. Nothing here does anything. */
import {
  type Command,
  emptyProgram,
  runCommandLine as runLine,
  runProcess as runThisProcess,
  type Session,
} from '@kurator/command';
import { declareBuild } from './build/command.ts';
import { declareBundle } from './bundle/command.ts';
import { declareCluster } from './cluster/commands.ts';
import { declareCompletion } from './completion/command.ts';
import { declareCreate } from './create/commands.ts';
import { declareDeploy, declareUndeploy } from './deploy/command.ts';
import { declareDev } from './dev/command.ts';
import { declareDoctor } from './doctor/command.ts';
import { declareExtensions } from './extensions.ts';
import { declareFault } from './fault/commands.ts';
import { declareGenerate } from './generate/command.ts';
import { declareImage } from './image/commands.ts';
import { declareInit } from './init/command.ts';
import { declarePush } from './push/commands.ts';
import { declareScorecard } from './scorecard/command.ts';
import { declareVersion } from './version/command.ts';
import { ownVersion } from './version/own-version.ts';

/** The tree of commands, for one session. */
export async function createProgram(session: Session): Promise<Command> {
  const program = emptyProgram('kurator', ownVersion(), session).description(
    'Kubernetes operators in TypeScript, from an empty folder to a cluster; and a real Kubernetes on this machine.',
  );

  program.commandsGroup('Write an operator:');
  declareInit(program, session);
  declareCreate(program, session);
  declareGenerate(program, session);
  declareDev(program, session);
  program.commandsGroup('Ship it:');
  declareBuild(program, session);
  declarePush(program, session);
  declareDeploy(program, session);
  declareUndeploy(program, session);
  declareBundle(program, session);
  declareScorecard(program, session);
  program.commandsGroup('Clusters and images on this machine:');
  const cluster = declareCluster(program, session);
  declareFault(cluster, session);
  declareDoctor(cluster, session);
  declareImage(program, session);
  declareDoctor(program, session);
  await declareExtensions(program, session);
  program.commandsGroup('The command itself:');
  declareVersion(program, session);
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

/** Parses a command line and does what it says. The session learns the exit code. */
export async function runCommandLine(args: readonly string[], session: Session): Promise<void> {
  await runLine(args, session, createProgram);
}

/** Runs the command line of this process, to its end. */
export async function runProcess(): Promise<void> {
  await runThisProcess(createProgram);
}
