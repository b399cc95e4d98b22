/** Declares `kurator dev`. */
import { type Command, Option } from 'commander';
import { lazy, type Session } from '../action.ts';
import { collect, wholeNumber } from '../options.ts';

export function declareDev(program: Command, session: Session): void {
  program
    .command('dev')
    .description('run the operator here, show what it reconciles and why, and reload it when a source is saved')
    .addOption(
      new Option('--local', 'against a cluster that is brought up for it, and goes with it').conflicts([
        'context',
        'kubeconfig',
      ]),
    )
    .addOption(
      new Option('--nodes <count>', 'how many nodes the local cluster has; they need root (default: 0)')
        .argParser(wholeNumber(0, 32))
        .implies({ local: true }),
    )
    .option('--context <context>', 'which context of the kubeconfig (default: the current one)')
    .option('--kubeconfig <file>', 'which kubeconfig (default: $KUBECONFIG, then ~/.kube/config)')
    .option('--watch <namespace>', 'the only namespace that it works in; may be given several times', collect)
    .option('--takeover', 'where the operator is deployed already: let that rest while this runs')
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./dev.ts')).dev))
    .addHelpText(
      'after',
      `
The operator's CRDs are installed and brought up to date, unless that would harm objects.
Where somebody runs the operator against the same cluster already, it is not started, unless --takeover or --local is given. Webhooks
and conversions become what they were when it ends; nothing is deleted that was there before.

Examples:
  kurator dev                             against the cluster of your KUBECONFIG
  kurator dev --local                     with an API server of its own
  kurator dev --watch sandbox             without touching others' objects
`,
    );
}
