/** Declares `kurator deploy` and `kurator undeploy`. */
import { type Command, Option } from 'commander';
import { lazy, type Session } from '../action.ts';
import { collect, wholeNumber } from '../options.ts';

const MOST_REPLICAS = 100;

export function declareDeploy(program: Command, session: Session): void {
  inSomeCluster(
    program
      .command('deploy')
      .description('run an operator in a cluster: its kinds, rights, and two replicas of which one leads')
      .argument('[folder]', "the operator's project", '.'),
  )
    .option('--image <name>', 'the image to run (default: as `kurator build` calls it)')
    .addOption(new Option('--replicas <count>', 'how many (default: 2)').argParser(wholeNumber(0, MOST_REPLICAS)))
    .option('--watch <namespace>', 'the only namespace that it works in; may be given several times', collect)
    .option('--role <name>', 'also give it an optional role of its package.json; may be given several times', collect)
    .option('--service-monitor', 'tell the Prometheus operator where the metrics are')
    .option('--no-network-policy', 'let its pods be reached on any port')
    .option('--no-reference-policy', 'let people refer to objects that they may not use themselves')
    .option('--dry-run', 'show what would change, field by field, and write nothing')
    .option('--force', 'accept a definition that harms objects which are stored')
    .option('--take-over', 'overwrite fields that somebody else has set')
    .option('--no-wait', "don't wait until all replicas are ready")
    .option('--timeout <duration>', 'how long to wait', '2m')
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./deploy.ts')).deploy))
    .addHelpText(
      'after',
      `
What an earlier deployment of the operator has made and this one doesn't need is removed: roles, bindings, Services and the
like, never kinds, namespaces or data. --dry-run shows it first. A namespace that is there already is left as it is.

Examples:
  kurator deploy --dry-run                what would change
  kurator deploy --image registry.example.com/web-operator:1.2.0
  kurator deploy operators/web --namespace operators --watch shop --watch blog
  kurator deploy operators/kurator --role exec --role metrics
`,
    );
}

export function declareUndeploy(program: Command, session: Session): void {
  inSomeCluster(
    program
      .command('undeploy')
      .description('take an operator out of a cluster; its kinds and their objects stay unless told')
      .argument('[folder]', "the operator's project", '.'),
  )
    .option('--crds', 'also delete its kinds, and with them ALL their objects')
    .option('--watch <namespace>', 'as it was given to a `kurator deploy` that kept no inventory', collect)
    .option('--yes', 'do not ask before kinds and their objects are deleted')
    .option('--dry-run', 'show what would be deleted, and delete nothing')
    .option('--timeout <duration>', 'how long each object may take to go', '2m')
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./undeploy.ts')).undeploy))
    .addHelpText(
      'after',
      `
Only what \`kurator deploy\` has made is deleted, by its uid, and the namespace only if it made that too, and nothing else
is in it.

Examples:
  kurator undeploy --dry-run
  kurator undeploy operators/web --namespace operators
`,
    );
}

function inSomeCluster(command: Command): Command {
  return command
    .option('-n, --namespace <namespace>', "where the operator lives (default: a namespace of the operator's name)")
    .option('--context <context>', 'which context of the kubeconfig (default: the current one)')
    .option('--kubeconfig <file>', 'which kubeconfig (default: $KUBECONFIG, then ~/.kube/config)');
}
