/** Declares `kurator cluster …`: what can be typed, with its help. What is done is in the other files of this folder. */
import { type Command, lazy, Option, type Session, shared, wholeNumber } from '@kurator/command';

/** As many nodes as a cluster can have addresses for. */
const MOST_NODES = 32;

/** Gives the command that others belong to as well. */
export function declareCluster(program: Command, session: Session): Command {
  const cluster = program
    .command('cluster')
    .description('make and use clusters: real API servers, and real nodes with real containers')
    .helpCommand(false);
  declareUp(cluster, session);
  declareDown(cluster, session);
  declareFetch(cluster, session);
  declareLooks(cluster, session);
  declareUses(cluster, session);
  return cluster.addHelpText(
    'after',
    `
Examples:
  kurator cluster up                      one node, called "kurator"
  kurator cluster up --name three --nodes 3
  kurator cluster kubectl -- get pods -A
  kurator cluster logs kubelet@n1 --follow
  kurator cluster down --all
`,
  );
}

function declareUp(cluster: Command, session: Session): void {
  shared
    .output(shared.name(cluster.command('up').description('bring a cluster up; harmless if it is up already')))
    .addOption(
      new Option('--nodes <count>', 'how many nodes, 0 to 32; they need root and Linux (default: 1)')
        .argParser(wholeNumber(0, MOST_NODES))
        .conflicts('controlPlaneOnly'),
    )
    .option('--control-plane-only', 'an API server without nodes; needs no root')
    .option('--version <version>', 'Kubernetes, as 1.36 or 1.36.3')
    .option('--node-version <version>', "the nodes' Kubernetes, to test version skew (default: the same)")
    .option('--audit', 'write every request to the API server to the log "audit"')
    .addOption(
      new Option('--port <port>', "the API server's port, for a control plane alone (default: a free one)").argParser(
        wholeNumber(1, 65535),
      ),
    )
    .option('--binaries <folder>', 'take the programs from this folder: no cache, no download, no build')
    .option('--install', 'install missing Debian packages unasked')
    .option('--no-install', 'refuse to install missing Debian packages, and print the command')
    .option('--closed', 'pull no images: nodes have only what is loaded or pushed to them')
    .option('--fast-failure-detection', 'notice dead nodes within seconds instead of a minute')
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./up.ts')).up))
    .addHelpText(
      'after',
      `
Examples:
  kurator cluster up --control-plane-only       an API server in a few seconds, for anyone
  kurator cluster up --nodes 3                  three nodes; as root
  kurator cluster up --version 1.35 --name old  another version, side by side
`,
    );
}

function declareFetch(cluster: Command, session: Session): void {
  cluster
    .command('fetch')
    .description('get the programs of Kubernetes now, so that a later `up` is quick or works offline')
    .argument('[versions...]', 'Kubernetes, as 1.36 or 1.36.3 (default: the one that `up` takes)')
    .option('--nodes', 'also the Debian packages that nodes need; as root')
    .option('--install', 'install missing Debian packages unasked')
    .option('--no-install', 'refuse to install missing Debian packages, and print the command')
    .option('--binaries <folder>', 'only check that this folder has them')
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./fetch.ts')).fetch))
    .addHelpText('after', '\nExamples:\n  kurator cluster fetch 1.36 1.35\n  kurator cluster fetch --nodes\n');
}

function declareDown(cluster: Command, session: Session): void {
  shared
    .name(cluster.command('down').description('take a cluster down, and leave nothing of it behind'))
    .addOption(new Option('--all', 'every cluster of yours, after a question').conflicts('name'))
    .option('--yes', "don't ask")
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./down.ts')).down))
    .addHelpText('after', '\nExamples:\n  kurator cluster down --name three\n  kurator cluster down --all --yes\n');
}

function declareLooks(cluster: Command, session: Session): void {
  shared
    .output(cluster.command('list').alias('ls').description('show your clusters'), ['json', 'yaml', 'name'])
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./list.ts')).list));
  shared
    .output(
      shared.name(cluster.command('status').description("show a cluster's parts: running or not, and their memory")),
    )
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./status.ts')).status));
  shared
    .name(cluster.command('kubeconfig').description("print the administrator's kubeconfig"))
    .option('--path', 'print where it is instead')
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./kubeconfig.ts')).kubeconfig))
    .addHelpText('after', '\nExamples:\n  export KUBECONFIG="$(kurator cluster kubeconfig --path)"\n');
  shared
    .name(cluster.command('logs').description('print what a part of a cluster has written'))
    .argument('[component]', 'such as kube-apiserver, etcd, kubelet@n1; without one, the parts are listed')
    .option('-f, --follow', 'go on until Ctrl-C')
    .addOption(new Option('--lines <count>', 'only the last lines').argParser(wholeNumber(0, 1_000_000)))
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./logs.ts')).logs))
    .addHelpText(
      'after',
      '\nExamples:\n  kurator cluster logs kube-apiserver --lines 50\n  kurator cluster logs kubelet@n1 --follow\n',
    );
}

function declareUses(cluster: Command, session: Session): void {
  shared
    .name(cluster.command('load').description('load an image archive (OCI or `docker save`) into every node'))
    .argument('<archive>', 'a file, such as `kurator image build` makes; - for standard input')
    .option('--as <image>', 'the name to give it, for an archive that names none')
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./load.ts')).load))
    .addHelpText('after', '\nExamples:\n  kurator cluster load web.tar\n');
  shared
    .name(cluster.command('kubectl').description("run the cluster's own kubectl against it"))
    .argument('[arguments...]', 'what kubectl is told')
    .option('--verbose', 'explain decisions')
    .passThroughOptions()
    .allowUnknownOption()
    .action(lazy(session, async () => (await import('./foreground.ts')).kubectl))
    .addHelpText(
      'after',
      '\nExamples:\n  kurator cluster kubectl -- get nodes -o wide\n  kurator cluster kubectl --name three -- apply -f app.yaml\n',
    );
  shared
    .name(cluster.command('exec-on').description('run a command on a machine of the cluster, as root'))
    .argument('<machine>', 'a node, or cp for the control plane')
    .argument('<command...>', 'the command and its arguments, after --')
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./foreground.ts')).execOn))
    .addHelpText(
      'after',
      '\nExamples:\n  kurator cluster exec-on n1 -- ip route\n  kurator cluster exec-on n1 -- ctr --namespace k8s.io containers list\n',
    );
}
