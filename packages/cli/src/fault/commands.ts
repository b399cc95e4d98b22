/** Declares `kurator cluster fault …`: real faults, for drills and for those who want to see what their operator does. */
import { anyNumber, type Command, collect, lazy, Option, type Session, shared, wholeNumber } from '@kurator/command';
import type { RequestName } from './requests.ts';

const ENDPOINT = 'pod/NAME, pod/NAMESPACE/NAME, node/NAME, kubelet/NAME (a node without its pods) or an address range';

export function declareFault(cluster: Command, session: Session): void {
  const fault = cluster
    .command('fault')
    .description('make something go wrong in a cluster with nodes, see what is wrong now, and heal it')
    .helpCommand(false);
  const declare = (name: RequestName, description: string) =>
    shared
      .output(shared.name(fault.command(name).description(description)))
      .option('--for <time>', 'heal by itself after this long: 500ms, 30s, 5m')
      .option('--verbose', 'explain decisions')
      .action(lazy(session, async () => (await import('./inject.ts')).inject(name)));

  declareProcessFaults(declare);
  declareNetworkFaults(declare);
  declareResourceFaults(declare);
  declareMachineFaults(declare);
  declareHealing(fault, session);
  fault.addHelpText(
    'after',
    `
Each fault prints its id, by which it can be healed.

Examples:
  kurator cluster fault freeze web-0 --for 30s
  kurator cluster fault drop --percent 30 --to pod/web-0 --both-ways
  kurator cluster fault partition n1 n2,n3,cp
  kurator cluster fault delay pod/web-0 8080 --by 2s
  kurator cluster fault stop kubelet@n1
  kurator cluster fault heal --all
`,
  );
}

type Declare = (name: RequestName, description: string) => Command;

const onContainer = (command: Command) =>
  command
    .argument('<pod>', 'its name, or NAMESPACE/NAME')
    .option('--container <name>', 'one of its containers (default: the one that kubectl exec would choose)');

const onEndpoints = (command: Command) =>
  command
    .option('--from <end>', `who sends: ${ENDPOINT}; again for more`, collect)
    .option('--except <end>', 'who is spared; again for more', collect);

function declareProcessFaults(declare: Declare): void {
  onContainer(declare('kill', "send a signal to a container's process"))
    .option('--signal <signal>', 'by name or number (default: SIGKILL)')
    .option('--process <name>', 'all processes of this name instead of the main one');
  onContainer(declare('freeze', 'stop all processes of a container (SIGSTOP) until it is healed')).option(
    '--process <name>',
    'only processes of this name',
  );
}

function declareNetworkFaults(declare: Declare): void {
  onEndpoints(declare('drop', 'lose packets to, from or between pods and nodes'))
    .addOption(
      new Option('--percent <number>', 'how many of a hundred packets').argParser(anyNumber).makeOptionMandatory(),
    )
    .option('--to <end>', `who they are for: ${ENDPOINT}; again for more`, collect)
    .option('--both-ways', 'also the other way round')
    .addOption(new Option('--port <port>', 'only those to this port').argParser(wholeNumber(1, 65535)))
    .addOption(new Option('--protocol <name>', 'what the port is a port of').choices(['tcp', 'udp']));
  declare('partition', 'cut the network into groups of machines that cannot reach each other').argument(
    '<groups...>',
    'two or more; machines of a group are separated by commas, and cp is the control plane',
  );
  declare('unplug', "pull a machine's network cable").argument('<machine>', 'a node, or cp for the control plane');
  const onPort = (command: Command) =>
    onEndpoints(command)
      .argument('<end>', 'whose port: pod/NAME, pod/NAMESPACE/NAME or node/NAME')
      .argument('<port>', 'a TCP port', wholeNumber(1, 65535));
  onPort(declare('refuse', 'refuse new TCP connections to a port'));
  onPort(declare('delay', 'let new TCP connections to a port wait')).requiredOption(
    '--by <time>',
    'such as 200ms or 2s',
  );
}

function declareResourceFaults(declare: Declare): void {
  declare('fill', 'fill a volume of a pod')
    .argument('<pod>', 'its name, or NAMESPACE/NAME')
    .requiredOption('--volume <name>', "its name in the pod's spec.volumes")
    .option('--bytes <quantity>', 'how much to write, such as 64Mi (default: all there is)');
  onContainer(declare('burn-cpu', "keep processor cores busy inside a container's limits")).addOption(
    new Option('--cores <count>', 'how many (default: 1)').argParser(wholeNumber(1, 64)),
  );
  onContainer(declare('burn-memory', "hold memory inside a container's limits")).requiredOption(
    '--bytes <quantity>',
    'how much, such as 64Mi',
  );
}

function declareMachineFaults(declare: Declare): void {
  const component = 'kubelet@n1, containerd@n1, kube-proxy@n1, kube-apiserver, etcd, …';
  declare('stop', 'stop a program of the cluster; healing starts it again')
    .argument('<component>', component)
    .option('--signal <signal>', 'how it is told (default: SIGTERM)');
  declare('hang', 'freeze a program of the cluster: its connections stay open, and nobody answers').argument(
    '<component>',
    component,
  );
  declare('power-off', "cut a machine's power; healing switches it on again").argument(
    '<machine>',
    'a node, or cp for the control plane',
  );
}

function declareHealing(fault: Command, session: Session): void {
  shared
    .output(shared.name(fault.command('list').alias('ls').description('show what is wrong now')), [
      'json',
      'yaml',
      'name',
    ])
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./heal.ts')).list));
  shared
    .name(fault.command('heal').description('undo faults; one that is not there is healed'))
    .argument('[ids...]', 'which faults')
    .option('--all', 'every fault there is')
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./heal.ts')).heal));
}
