/** Declares `kurator install` and `kurator uninstall`: Kurator itself, in a cluster that people already have. */
import { type Command, Option } from 'commander';
import { lazy, type Session } from '../action.ts';
import { collect, wholeNumber } from '../options.ts';

const MOST_REPLICAS = 100;

export function declareInstall(program: Command, session: Session): void {
  inSomeCluster(program.command('install'))
    .description('install Kurator in a cluster that is there, or upgrade it; it only observes at first')
    .option('--registry <place>', 'build the image and push it there, as registry.example.com/team')
    .option('--load [cluster]', 'build the image and load it into a cluster of this machine')
    .option('--image <name>', 'an image that the nodes can pull already')
    .option('--insecure', 'push over plain HTTP')
    .addOption(
      new Option('--observe', 'say what would be done, and do nothing: so a first installation begins').conflicts('on'),
    )
    .option('--on', 'repair at once')
    .addOption(new Option('--replicas <count>', 'how many (default: 2)').argParser(wholeNumber(1, MOST_REPLICAS)))
    .option('--watch <namespace>', 'the only namespace that it works in; may be given several times', collect)
    .option(
      '--role <name>',
      'also give it an optional role: exec, metrics, secrets; may be given several times',
      collect,
    )
    .option('--service-monitor', 'tell the Prometheus operator where the metrics are')
    .option('--no-network-policy', 'let its pods be reached on any port')
    .option('--plugin-folder <folder>', 'where to put kubectl kurator (default: a folder of yours on PATH)')
    .option('--no-plugin', 'do not put kubectl kurator in place')
    .option('--dry-run', 'show the plan, and do nothing')
    .option('--yes', 'do not ask')
    .option('--no-wait', "don't wait until all replicas are ready")
    .option('--timeout <duration>', 'how long to wait', '2m')
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./install.ts')).install))
    .addHelpText(
      'after',
      `
Examples:
  kurator install --registry registry.example.com/team --dry-run
  kurator install --registry registry.example.com/team
  kurator install --load                  a cluster of \`kurator cluster up\`
  kurator adopt deployment/web --apply    then: a first service
`,
    );
  inSomeCluster(program.command('uninstall'))
    .description('take Kurator out of a cluster again: what `kurator install` made; CRDs and Kurators stay unless told')
    .option('--crds', 'also delete its CRDs, and with them ALL Kurators, Incidents and AlertChannels')
    .option('--watch <namespace>', 'as it was given to `kurator install`', collect)
    .option('--dry-run', 'show what would be deleted, and delete nothing')
    .option('--yes', 'do not ask')
    .option('--timeout <duration>', 'how long each object may take to go', '2m')
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./uninstall.ts')).uninstall))
    .addHelpText('after', '\nExamples:\n  kurator uninstall --dry-run\n  kurator uninstall\n');
}

function inSomeCluster(command: Command): Command {
  return command
    .option('-n, --namespace <namespace>', 'where Kurator lives (default: kurator)')
    .option('--context <context>', 'which context of the kubeconfig (default: the current one)')
    .option('--kubeconfig <file>', 'which kubeconfig (default: $KUBECONFIG, then ~/.kube/config)');
}
