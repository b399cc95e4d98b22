/** Declares `kurator scorecard`. */
import {
  type Command,
  lazy,
  namespaceName,
  Option,
  outputOption,
  type Session,
  timeSpan,
  wholeNumber,
} from '@kurator/command';

export function declareScorecard(program: Command, session: Session): void {
  const scorecard = program
    .command('scorecard')
    .description('see what an operator lives up to: its bundle, and the capability levels 1 to 5 in a live cluster')
    .argument('[folder]', "the operator's project", '.')
    .option('--bundle <folder>', "a bundle to test (default: the project's, or as it would be made)")
    .option('--monitoring <folder>', 'where its alert rules and dashboards are (default: deploy and monitoring)')
    .option(
      '-n, --namespace <namespace>',
      "where the operator lives (default: a namespace of the operator's name)",
      namespaceName,
    )
    .option('--context <context>', 'which context of the kubeconfig (default: the current one)')
    .option('--kubeconfig <file>', 'which kubeconfig (default: $KUBECONFIG, then ~/.kube/config)')
    .option('--no-cluster', 'test the bundle only')
    .option(
      '--disruptive',
      'also restart and delete pods of the operator, and make examples in a namespace of their own',
    )
    .option('--yes', "don't ask before doing so")
    .option('--upgrade-to <image>', 'another image of the operator, to upgrade to and back; with --disruptive')
    .addOption(
      new Option('--level <number>', 'up to which level all must be met (default: what the bundle claims)').argParser(
        wholeNumber(0, 5),
      ),
    )
    .option('--strict', 'what could not be tested counts as not met')
    .option('--timeout <duration>', 'how long one thing may take to happen', timeSpan, '2m');
  outputOption(scorecard, ['json', 'yaml'])
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./scorecard.ts')).scorecard))
    .addHelpText(
      'after',
      `
Ends with 0 if nothing is unmet, with 3 if something is.

Examples:
  kurator scorecard                       look at the operator of this folder, and touch nothing
  kurator scorecard --no-cluster          its bundle only
  kurator scorecard --disruptive --yes --upgrade-to web-operator:1.3.0 -o json
`,
    );
}
