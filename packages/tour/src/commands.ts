import { Argument, type Command, lazy, type Session, wholeNumber } from '@kurator/command';

/** Adds `kurator tour` to the commands of `kurator`, where this package is installed beside it. */
export function declareCommands(parent: Command, session: Session): void {
  parent
    .command('tour')
    .description(
      'see Kurator at work on a real cluster: a shop that is broken again and again, or etcd that loses members',
    )
    .addArgument(new Argument('[subject]', 'what is shown').choices(['shop', 'etcd']).default('shop'))
    .option(
      '--once',
      'end when all was shown, with 0 only if it was as it had to be; also without a terminal and in CI',
    )
    .option('--nodes <number>', 'how many nodes', wholeNumber(1, 8), 3)
    .option('--name <name>', 'what the cluster is called', 'tour')
    .option('--install', 'install missing Debian packages unasked')
    .option('--no-install', 'refuse to install missing Debian packages, and print the command')
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./tour.ts')).tour));
}
