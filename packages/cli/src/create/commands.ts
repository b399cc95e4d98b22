/** Declares `kurator create …`. */
import { type Command, lazy, type Session } from '@kurator/command';

export function declareCreate(program: Command, session: Session): void {
  const create = program
    .command('create')
    .description('add to an operator project: a CRD, webhooks, another version')
    .helpCommand(false);
  shared(
    create
      .command('api')
      .description('add a CRD: its schema, a controller, a test and a sample, and wire them')
      .option('--group <group>', "its API group, before the project's domain; with a dot it is taken whole")
      .option('--version <version>', 'its version, such as v1alpha1')
      .option('--kind <kind>', 'its kind, such as MyApp')
      .option('--resource', 'write the schema and the sample (default: yes)')
      .option('--no-resource', 'only the controller: the schema is there')
      .option('--controller', 'write and wire the controller and its test (default: yes)')
      .option('--no-controller', 'only the schema'),
  )
    .action(lazy(session, async () => (await import('./api.ts')).createApi))
    .addHelpText(
      'after',
      '\nExamples:\n  kurator create api --group apps --version v1alpha1 --kind MyApp\n  kurator create api --group apps --version v1alpha1 --kind MyApp --dry-run\n',
    );
  shared(
    create
      .command('webhook')
      .description('add webhooks to a CRD: for what a schema can not say')
      .option('--kind <kind>', 'the kind of a CRD of the project')
      .option('--validate', 'one that refuses objects')
      .option('--mutate', 'one that completes objects'),
  )
    .action(lazy(session, async () => (await import('./webhook.ts')).createWebhook))
    .addHelpText('after', '\nExamples:\n  kurator create webhook --kind MyApp --validate --mutate\n');
  shared(
    create
      .command('conversion')
      .description('add another version to a CRD, and how objects of the one become objects of the other')
      .option('--kind <kind>', 'the kind of a CRD of the project')
      .option('--version <version>', 'the other version, such as v1beta1'),
  )
    .action(lazy(session, async () => (await import('./conversion.ts')).createConversion))
    .addHelpText('after', '\nExamples:\n  kurator create conversion --kind MyApp --version v1beta1\n');
  create.addHelpText(
    'after',
    `
What is not given is asked for on a terminal. A file that was changed by hand is never replaced without asking.

Examples:
  kurator create api --group apps --version v1alpha1 --kind MyApp
  kurator create webhook --kind MyApp --validate
  kurator create conversion --kind MyApp --version v1beta1
`,
  );
}

function shared(command: Command): Command {
  return command
    .argument('[folder]', "the operator's project", '.')
    .option('--dry-run', 'print what would change, and change nothing')
    .option('--overwrite', 'replace files that were changed by hand')
    .option('--verbose', 'explain decisions');
}
