/** Declares `kurator generate`. */
import { Argument, type Command, collect, lazy, Option, type Session } from '@kurator/command';

/** By their names in generators.ts, which is loaded only when the command runs; a test holds them together. */
export const generatorNames = ['crds', 'base', 'install', 'types', 'chart', 'bundle'];

export function declareGenerate(program: Command, session: Session): void {
  program
    .command('generate')
    .description("write what follows from an operator's code: definitions, roles, manifests, types")
    .argument('[folder]', "the operator's project; ./NAME for one that is called like what can be generated", '.')
    .addArgument(new Argument('[what...]', 'only these (default: all)').choices(generatorNames))
    .option('--check', 'write nothing; fail where a file is not what the code says')
    .addOption(new Option('--dry-run', 'print what would change, and change nothing').conflicts('check'))
    .addOption(
      new Option(
        '--types-from <crd>',
        'also bring in a definition for types: a file, - for standard input, or a name in the current cluster',
      )
        .argParser(collect)
        .conflicts('check'),
    )
    .addOption(new Option('--overwrite', 'replace files that were changed by hand').conflicts('check'))
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./generate.ts')).generate))
    .addHelpText(
      'after',
      `
What it writes:
  crds       deploy/crds      the operator's CRDs
  base       deploy/base      service account, roles, Deployment: a kustomize base
  install    deploy/install   all of it in one file, for kubectl apply -f
  types      src/types        TypeScript of others' CRDs, which are in crds/
  chart      deploy/chart     a Helm chart; only when it is named, or there already
  bundle     deploy/bundle    a bundle for OLM; only when it is named, or there already

In each folder, .kurator-files.json says what was written there. What is made no more is removed if it is still as it was
written; everything else in the folder is somebody's, and stays.

Examples:
  kurator generate
  kurator generate --check                        in CI
  kurator generate crds base
  kurator generate operators/web chart
  kurator generate types --types-from certificates.cert-manager.io
`,
    );
}
