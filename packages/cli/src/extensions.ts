/**
 * Commands that other packages bring: those of the healer, and the tour. `kurator` has them where their package is
 * installed beside it, as npm installs packages beside each other; where it is not, it knows what they are called and says
 * how to get them. Who writes operators needs neither.
 */
import { CliError, type Command, lazy, type Session } from '@kurator/command';

/** A package that brings commands. */
interface Extension {
  readonly name: string;
  /** The heading that its commands are under. */
  readonly group: string;
  /** What it is for, in the help of a `kurator` that does not have it. */
  readonly purpose: string;
  /** What its commands are called. */
  readonly commands: readonly string[];
}

/** The door `/commands` of such a package. */
interface CommandsDoor {
  declareCommands(program: Command, session: Session): void;
}

/** In the order in which the help has them. */
export const extensions: readonly Extension[] = [
  {
    name: '@kurator/tour',
    group: 'Clusters and images on this machine:',
    purpose: 'see Kurator at work',
    commands: ['tour'],
  },
  {
    name: '@kurator/kubectl-kurator',
    group: 'Keep services healthy:',
    purpose: 'keep services healthy',
    commands: [
      ...['install', 'uninstall', 'get', 'describe', 'incidents', 'report', 'explain', 'adopt', 'approve', 'pause'],
      ...['resume', 'drill'],
    ],
  },
];

/** Brings the door of a package; fails where the package is not installed, or can't be loaded. */
export type LoadCommands = (packageName: string) => Promise<CommandsDoor>;

/** Declares the commands of every package that is there, and a hint in the place of every one that is not. */
export async function declareExtensions(
  program: Command,
  session: Session,
  load: LoadCommands = installedCommands,
): Promise<void> {
  const doors = await Promise.allSettled(extensions.map(async ({ name }) => await load(name)));
  const missing: Extension[] = [];
  for (const [index, extension] of extensions.entries()) {
    const door = doors[index];
    program.commandsGroup(extension.group);
    if (door?.status === 'fulfilled') door.value.declareCommands(program, session);
    else {
      // Whoever has half a package can still do what the rest is for.
      declareHints(program, session, extension, door?.reason);
      missing.push(extension);
    }
  }
  if (missing.length > 0) program.addHelpText('after', `\nMore commands:\n${missing.map(helpOf).join('\n')}`);
}

/** By the package's name, as Node finds it from here: whoever has installed it decides which one it is. */
async function installedCommands(packageName: string): Promise<CommandsDoor> {
  return (await import(`${packageName}/commands`)) as CommandsDoor;
}

function declareHints(program: Command, session: Session, { name, commands }: Extension, reason: unknown): void {
  for (const command of commands) {
    program
      .command(command, { hidden: true })
      .argument('[words...]')
      .helpOption(false)
      .allowUnknownOption()
      .action(
        lazy(session, async () => () => {
          throw hint(`kurator ${command} comes with ${name}`, name, reason);
        }),
      );
  }
}

function hint(told: string, packageName: string, cause: unknown): CliError {
  const remedy = `npm install --global ${packageName}`;
  const { code, message } = cause as NodeJS.ErrnoException;
  // It may as well be something else that is not found: what the package needs.
  const isAbsent = code === 'ERR_MODULE_NOT_FOUND' && message.includes(`'${packageName}'`);
  const why = isAbsent ? 'which is not installed' : `which can't be loaded: ${message}`;
  return new CliError('KUR_CLI_NOT_INSTALLED', `${told}, ${why}`, { remedy, cause });
}

function helpOf({ name, purpose, commands }: Extension): string {
  return `  ${commands.join(', ')}\n    to ${purpose}: npm install --global ${name}`;
}
