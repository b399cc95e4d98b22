/** Declares `kurator install` and `kurator uninstall`: Kurator itself, in a cluster that people already have. */
import { inSomeCluster, overwritingOptions, runningOptions, waitingOptions, watchNamespaceOption } from '@kurator/cli';
import { type Command, collect, lazy, Option, type Session, timeSpan } from '@kurator/command';

const home = 'where Kurator lives (default: kurator)';

export function declareInstall(program: Command, session: Session): void {
  const install = inSomeCluster(program.command('install'), home)
    .description('install Kurator in a cluster that is there, or upgrade it; it only observes at first')
    .option('--registry <place>', 'build the image and push it there, as registry.example.com/team')
    .option('--load [cluster]', 'build the image and load it into a cluster of this machine')
    .option('--image <name>', 'an image that the nodes can pull already')
    .option('--insecure', 'push over plain HTTP')
    .addOption(
      new Option('--observe', 'say what would be done, and do nothing: so a first installation begins').conflicts('on'),
    )
    .option('--on', 'repair at once');
  const roles = { roles: ': exec, metrics, secrets', withheld: ': workloads, to make services of its own' };
  runningOptions(install, { fewestReplicas: 1, ...roles })
    .option(
      '--values <file>',
      'limits, resources, allowAddresses and hostNetworkChecks, as in the values of the chart (kurator.…); - for standard input',
      collect,
    )
    .option('--set <key=value>', 'one of them, as kurator.limits.repairs=30; may be given several times', collect)
    .option('--plugin-folder <folder>', 'where to put kubectl kurator (default: a folder of yours on PATH)')
    .option('--no-plugin', 'do not put kubectl kurator in place')
    .option('--dry-run', 'show the plan, and do nothing')
    .option('--yes', 'do not ask');
  waitingOptions(overwritingOptions(install))
    .action(lazy(session, async () => (await import('./install.ts')).install))
    .addHelpText(
      'after',
      `
Examples:
  kurator install --registry registry.example.com/team --dry-run
  kurator install --registry registry.example.com/team
  kurator install --load                  a cluster of \`kurator cluster up\`
  kurator install --load --without-role workloads    it only adopts what is there
  kurator adopt deployment/web --apply    then: a first service
`,
    );
  const uninstall = inSomeCluster(program.command('uninstall'), home)
    .description('take Kurator out of a cluster again: what `kurator install` made; CRDs and Kurators stay unless told')
    .option('--crds', 'also delete its CRDs, and with them ALL Kurators, Incidents and AlertChannels; workloads run on')
    .option('--delete-workloads', 'with --crds: also DELETE every workload that a Kurator has made (spec.service)');
  watchNamespaceOption(uninstall, 'as it was given to `kurator install`')
    .option('--dry-run', 'show what would be deleted, and delete nothing')
    .option('--yes', 'do not ask')
    .option('--timeout <duration>', 'how long each object may take to go', timeSpan, '2m')
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./uninstall.ts')).uninstall))
    .addHelpText('after', '\nExamples:\n  kurator uninstall --dry-run\n  kurator uninstall\n');
}
