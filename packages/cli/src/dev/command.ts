/** Declares `kurator dev`. */
import { type Command, lazy, Option, type Session, wholeNumber } from '@kurator/command';
import { watchNamespaceOption } from '../deploy/options.ts';

export function declareDev(program: Command, session: Session): void {
  const dev = program
    .command('dev')
    .description('run the operator here, show what it reconciles and why, and reload it when a source is saved')
    .argument('[folder]', "the operator's project", '.')
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
    .option('--kubeconfig <file>', 'which kubeconfig (default: $KUBECONFIG, then ~/.kube/config)');
  watchNamespaceOption(dev, 'the only namespace that it works in; may be given several times')
    .option('--takeover', 'where the operator is deployed already: let that idle while this runs')
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
  kurator dev operators/web --watch-namespace sandbox    without touching others' objects
`,
    );
}
