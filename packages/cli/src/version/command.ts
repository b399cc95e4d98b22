/** Declares `kurator version`. */
import { type Command, lazy, outputOption, type Session } from '@kurator/command';

export function declareVersion(program: Command, session: Session): void {
  outputOption(
    program
      .command('version')
      .description('say which version this command is, and what runs in the cluster')
      .option('--client', 'ask no cluster')
      .option('--context <context>', 'which context of the kubeconfig (default: the current one)')
      .option('--kubeconfig <file>', 'which kubeconfig (default: $KUBECONFIG, then ~/.kube/config)'),
    ['json', 'yaml'],
  )
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./version.ts')).version))
    .addHelpText(
      'after',
      `
Operators are listed that \`kurator deploy\` or \`kurator install\` has put there. A cluster that does not answer is no error.

Examples:
  kurator version
  kurator version --client -o json
`,
    );
}
