/** Declares `kurator init`. */
import { type Command, lazy, Option, type Session } from '@kurator/command';

export function declareInit(program: Command, session: Session): void {
  program
    .command('init')
    .description('make a new operator project: it type-checks, passes its own tests and runs at once')
    .argument('[folder]', 'an empty or a new folder', '.')
    .option('--domain <domain>', 'what the API groups of its CRDs end with, such as example.com')
    .option('--repo <repo>', 'where its sources will be, such as github.com/example/web-operator')
    .option('--name <name>', "the operator's name (default: that of the repository, or of the folder)")
    .option('--no-install', 'do not run npm install')
    .addOption(
      new Option('--sdk <path>', 'take the @kurator packages from a clone, or from a folder of .tgz files').hideHelp(),
    )
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./init.ts')).init))
    .addHelpText(
      'after',
      `
Examples:
  kurator init --domain example.com web-operator
  kurator init --domain example.com --name web-operator .
  kurator init --repo github.com/example/web-operator
`,
    );
}
