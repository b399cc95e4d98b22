/** Declares `kurator bundle` and `kurator bundle validate`. */
import { type Command, Option } from 'commander';
import { lazy, type Session } from '../action.ts';

export function declareBundle(program: Command, session: Session): void {
  const bundle = program
    .command('bundle')
    .description('make a bundle for the Operator Lifecycle Manager (OLM), and check it')
    .option('--image <ref>', "the operator's image, best with its digest (default: from package.json)")
    .option('--output <folder>', 'where to put it', 'deploy/bundle')
    .option('--dry-run', 'print what would change, and change nothing')
    .option('--overwrite', 'replace files that were changed by hand')
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./bundle.ts')).bundle))
    .addHelpText(
      'after',
      `
What people read of the operator comes from package.json: description, author, keywords, homepage, repository, and
"kurator": { "bundle": { displayName, capability, categories, icon, channels, minKubeVersion, … } }.
Examples of its CRDs come from the folder samples.

Examples:
  kurator bundle
  kurator bundle --image registry.example.com/web-operator@sha256:…
  kurator bundle validate
`,
    );
  bundle
    .command('validate')
    .argument('[folder]', 'a bundle', 'deploy/bundle')
    .description('check a bundle by the rules of OLM: exit code 1 if it would be refused')
    .addOption(new Option('-o, --output <format>', 'as JSON instead of lines').choices(['json']))
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./validate/validate.ts')).validateBundle))
    .addHelpText('after', '\nExamples:\n  kurator bundle validate\n  kurator bundle validate deploy/bundle -o json\n');
}
