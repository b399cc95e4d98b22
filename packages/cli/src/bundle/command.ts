/** Declares `kurator bundle` and `kurator bundle validate`. */
import { type Command, formerly, lazy, outputOption, type Session } from '@kurator/command';

export function declareBundle(program: Command, session: Session): void {
  const bundle = program
    .command('bundle')
    .description('make a bundle for the Operator Lifecycle Manager (OLM), and check it')
    .argument('[folder]', "the operator's project", '.')
    .option('--image <ref>', "the operator's image, best with its digest (default: from package.json)")
    .option('--output-dir <folder>', "where to put it, below the operator's project", 'deploy/bundle')
    .option('--dry-run', 'print what would change, and change nothing')
    .option('--overwrite', 'replace files that were changed by hand')
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./make-bundle.ts')).bundle))
    .addHelpText(
      'after',
      `
What people read of the operator comes from package.json: description, author, keywords, homepage, repository, and
"kurator": { "bundle": { displayName, capability, categories, icon, channels, minKubeVersion, … } }.
Examples of its CRDs come from the folder samples.

Examples:
  kurator bundle
  kurator bundle --image registry.example.com/web-operator@sha256:…
  kurator bundle operators/web --output-dir bundle
  kurator bundle validate
`,
    );
  formerly(bundle, '--output <folder>', { option: '--output-dir' });
  outputOption(
    bundle
      .command('validate')
      .argument('[folder]', 'a bundle', 'deploy/bundle')
      .description('check a bundle by the rules of OLM: exit code 1 if it would be refused'),
    ['json', 'yaml'],
  )
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./validate.ts')).validateBundle))
    .addHelpText('after', '\nExamples:\n  kurator bundle validate\n  kurator bundle validate deploy/bundle -o json\n');
}
