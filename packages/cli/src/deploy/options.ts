/** Options that `kurator deploy` and `kurator install` have in common: which cluster, and how an operator runs in it. */
import {
  type Command,
  collect,
  collectNamespaces,
  formerly,
  namespaceName,
  Option,
  timeSpan,
  wholeNumber,
} from '@kurator/command';

const MOST_REPLICAS = 100;

/**
 * Options that say which cluster.
 *
 * @param home What lives in the namespace, and where that is unless given.
 */
export function inSomeCluster(command: Command, home: string): Command {
  return command
    .option('-n, --namespace <namespace>', home, namespaceName)
    .option('--context <context>', 'which context of the kubeconfig (default: the current one)')
    .option('--kubeconfig <file>', 'which kubeconfig (default: $KUBECONFIG, then ~/.kube/config)');
}

/** What differs between operators. */
interface Running {
  readonly fewestReplicas: number;
  /** Which roles there are to give, and which to keep from it. */
  readonly roles: string;
  readonly withheld: string;
}

/** Options that say how an operator runs. */
export function runningOptions(command: Command, { fewestReplicas, roles, withheld }: Running): Command {
  const replicas = wholeNumber(fewestReplicas, MOST_REPLICAS);
  command.addOption(new Option('--replicas <count>', 'how many (default: 2)').argParser(replicas));
  return watchNamespaceOption(command, 'the only namespace that it works in; may be given several times')
    .option('--role <name>', `also give it an optional role${roles}; may be given several times`, collect)
    .option('--without-role <name>', `keep rights from it that it can do without${withheld}`, collect)
    .option('--service-monitor', 'tell the Prometheus operator where the metrics are')
    .option('--no-network-policy', 'let its pods be reached on any port')
    .option('--no-reference-policy', 'let people refer to objects that they may not use themselves');
}

/** Which namespaces an operator works in. `--watch` alone means to go on looking, as it does to kubectl. */
export function watchNamespaceOption(command: Command, description: string): Command {
  command.option('--watch-namespace <namespace>', description, collectNamespaces);
  return formerly(command, '--watch <namespace>', { option: '--watch-namespace' });
}

/** What may be done to what is there already. */
export function overwritingOptions(command: Command): Command {
  command
    .option('--allow-breaking-crds', 'accept a definition that harms objects which are stored')
    .option(
      '--force-conflicts',
      'overwrite fields that somebody else has set, and take objects for its own that somebody else has made',
    );
  formerly(command, '--force', { option: '--allow-breaking-crds' });
  return formerly(command, '--take-over', { option: '--force-conflicts' });
}

/** Options that say how long it may take. */
export function waitingOptions(command: Command): Command {
  return command
    .option('--no-wait', "don't wait until all replicas are ready")
    .option('--timeout <duration>', 'how long to wait', timeSpan, '2m')
    .option('--verbose', 'explain decisions');
}
