/** Declares `kurator deploy` and `kurator undeploy`. */
import { type Command, lazy, type Session, timeSpan } from '@kurator/command';
import { inSomeCluster, overwritingOptions, runningOptions, waitingOptions, watchNamespaceOption } from './options.ts';

const home = "where the operator lives (default: a namespace of the operator's name)";

export function declareDeploy(program: Command, session: Session): void {
  const deploy = inSomeCluster(
    program
      .command('deploy')
      .description('run an operator in a cluster: its CRDs, rights, and two replicas of which one leads')
      .argument('[folder]', "the operator's project", '.'),
    home,
  ).option('--image <name>', 'the image to run (default: as `kurator build` calls it)');
  const roles = { roles: ' of its package.json', withheld: ': a role of "kurator.withheldRoles" in its package.json' };
  runningOptions(deploy, { fewestReplicas: 0, ...roles }).option(
    '--dry-run',
    'show what would change, field by field, and write nothing',
  );
  waitingOptions(overwritingOptions(deploy))
    .action(lazy(session, async () => (await import('./deploy.ts')).deploy))
    .addHelpText(
      'after',
      `
What an earlier deployment of the operator has made and this one doesn't need is removed: roles, bindings, Services and the
like, never CRDs, namespaces or data. --dry-run shows it first. A namespace that is there already is left as it is.

Examples:
  kurator deploy --dry-run                what would change
  kurator deploy --image registry.example.com/web-operator:1.2.0
  kurator deploy operators/web -n operators --watch-namespace shop --watch-namespace blog
  kurator deploy operators/kurator --role exec --role metrics
  kurator deploy operators/kurator --without-role workloads    it only adopts what is there
`,
    );
}

export function declareUndeploy(program: Command, session: Session): void {
  const undeploy = inSomeCluster(
    program
      .command('undeploy')
      .description('take an operator out of a cluster; its CRDs and their objects stay unless told')
      .argument('[folder]', "the operator's project", '.'),
    home,
  ).option('--crds', 'also delete its CRDs, and with them ALL their objects');
  watchNamespaceOption(undeploy, 'as it was given to a `kurator deploy` that kept no inventory')
    .option('--yes', 'do not ask before CRDs and their objects are deleted')
    .option('--dry-run', 'show what would be deleted, and delete nothing')
    .option('--timeout <duration>', 'how long each object may take to go', timeSpan, '2m')
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./undeploy.ts')).undeploy))
    .addHelpText(
      'after',
      `
Only what \`kurator deploy\` has made for this operator is deleted, by its uid, and the namespace only if it made that too, and
nothing else is in it.

Examples:
  kurator undeploy --dry-run
  kurator undeploy operators/web --namespace operators
`,
    );
}
