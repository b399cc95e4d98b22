import type { Command } from 'commander';
import { lazy, type Session } from '../action.ts';

/** Declares `kurator tour`. */
export function declareTour(parent: Command, session: Session): void {
  parent
    .command('tour')
    .description('show a cluster at work: bring it up, run a Deployment, call it, take it down')
    .option('--keep', 'leave the cluster up at the end')
    .option('--no-install', 'refuse to install missing Debian packages, and print the command')
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./tour.ts')).tour));
}
