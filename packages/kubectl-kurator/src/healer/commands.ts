/** Declares the healer's day-to-day commands: what can be typed, with its help. What is done is in the other files here. */
import { type Command, type Form, lazy, Option, outputOption, type Session, wholeNumber } from '@kurator/command';
import { since } from './moments.ts';
import { placed, selected } from './placed.ts';
import { states } from './states.ts';

export function declareHealer(program: Command, session: Session): void {
  declareGet(program, session);
  declareDescribe(program, session);
  declareIncidents(program, session);
  declareReport(program, session);
  declareExplain(program, session);
  declareAdopt(program, session);
  declareOrders(program, session);
}

/** What is shown, of services that can be chosen by their labels. */
function shown(command: Command, forms: readonly Form[] = ['json', 'yaml', 'wide']): Command {
  return outputOption(selected(placed(command)), forms);
}

const lists: readonly Form[] = ['json', 'yaml', 'wide', 'name'];

function declareGet(program: Command, session: Session): void {
  shown(program.command('get'), lists)
    .description('show how services are: health, pods, the last incident')
    .argument('[services...]', 'their names (default: all)')
    .option('-w, --watch', 'go on with a line for each change, until Ctrl-C')
    .option('--exit-code', 'end with 3 unless all of them are healthy')
    .action(lazy(session, async () => (await import('./get.ts')).get))
    .addHelpText(
      'after',
      `
Examples:
  kurator get -A -o wide
  kurator get web --exit-code             in a script: 0 only if it is healthy
  kurator get --watch
  kurator get -l team=shop -o name
`,
    );
}

function declareDescribe(program: Command, session: Session): void {
  shown(program.command('describe'))
    .description('show all about services: decision, limits, checks, dependencies, incidents')
    .argument('[services...]', 'their names (default: all)')
    .action(lazy(session, async () => (await import('./describe.ts')).describe))
    .addHelpText(
      'after',
      `
Examples:
  kurator describe web
  kurator describe web -n shop -o yaml
`,
    );
}

function declareIncidents(program: Command, session: Session): void {
  shown(program.command('incidents'), lists)
    .description('list incidents, and the time to detect, to recover and the availability of each service')
    .argument('[services...]', 'of which services (default: all)')
    .addOption(
      new Option('--since <time>', 'those that began within 30m, 24h, 7d, or since 2026-01-31T12:00:00Z; or are open')
        // commander hands over the value before it, which is not the time.
        .argParser((text) => since(text)),
    )
    .addOption(new Option('--state <state>', 'those in one state; "waiting" is for on-call').choices(states))
    .option('-w, --watch', 'go on with a line for each change, until Ctrl-C')
    .option('--exit-code', 'end with 3 if one of them is open')
    .action(lazy(session, async () => (await import('./incidents.ts')).incidentsAction))
    .addHelpText(
      'after',
      `
Examples:
  kurator incidents -A --since 24h
  kurator incidents --state waiting       those that need you
  kurator incidents web -o json
`,
    );
}

function declareReport(program: Command, session: Session): void {
  shown(program.command('report'))
    .description('sum up incidents: what was done or would have been done, and the time that it saved')
    .addOption(
      new Option('--since <time>', 'those that began within 30m, 24h, 7d, or since 2026-01-31T12:00:00Z; or are open')
        .argParser((text) => since(text))
        .default(since('7d'), '7d'),
    )
    .addOption(
      new Option('--limit <count>', 'list at most so many incidents').argParser(wholeNumber(0, 10_000)).default(20),
    )
    .option('--by-hand <duration>', 'how long on-call takes for a repair (default: as the incidents show)')
    .action(lazy(session, async () => (await import('./report.ts')).report))
    .addHelpText(
      'after',
      `
Examples:
  kurator report -A
  kurator report -A --since 30d --by-hand 45m
  kurator report -n shop -o json
`,
    );
}

function declareExplain(program: Command, session: Session): void {
  outputOption(placed(program.command('explain')), ['json', 'yaml', 'wide'])
    .description('tell an incident: why, what happened, what was seen, who was told; and decide it again')
    .argument('<incident>', "its name, or a service's: the open one, else the newest")
    .option('--full', 'all lines of the logs that were kept')
    .action(lazy(session, async () => (await import('./explain.ts')).explain))
    .addHelpText(
      'after',
      `
Examples:
  kurator explain web-3
  kurator explain web --full
  kurator explain web-3 -n shop -o json
`,
    );
}

function declareAdopt(program: Command, session: Session): void {
  placed(program.command('adopt'))
    .description('write a first Kurator for a workload that is there, from its probes and ports')
    .argument('<workload>', 'deployment/NAME or statefulset/NAME')
    .option('--apply', 'also make it in the cluster; one that is there stays as it is')
    .addOption(new Option('-o, --output <form>', 'how to print it (default: yaml)').choices(['json', 'yaml', 'name']))
    .action(lazy(session, async () => (await import('./adopt.ts')).adopt))
    .addHelpText(
      'after',
      `
Examples:
  kurator adopt deployment/web              see what it would be
  kurator adopt statefulset/db -n shop > db.yaml
  kurator adopt deployment/web --apply
`,
    );
}

function declareOrders(program: Command, session: Session): void {
  const load = async () => await import('./orders.ts');
  placed(program.command('approve'))
    .description('agree to the step that an incident proposes and waits with')
    .argument('<incident>', "its name, or a service's: the open one")
    .action(lazy(session, async () => (await load()).approve))
    .addHelpText('after', '\nExamples:\n  kurator incidents --state waiting\n  kurator approve web-3\n');
  selected(placed(program.command('pause')))
    .description('leave services alone: they are watched, and nothing is done')
    .argument('[services...]', 'their names')
    .option('--all', 'all of the namespace; with -A all of the cluster')
    .option('--everything', "turn the cluster's switch off: nothing is done for anybody, at once")
    .option('--observe', 'with --everything: still say what would be done')
    .option('--reason <text>', 'with --everything: why, for whoever finds it so')
    .option('--yes', 'do not ask before all of the cluster are paused')
    .action(lazy(session, async () => (await load()).pause))
    .addHelpText(
      'after',
      `
Examples:
  kurator pause web
  kurator pause -l team=shop -A
  kurator pause --all -n shop
  kurator pause --everything --reason 'network works'
`,
    );
  selected(placed(program.command('resume')))
    .description('look after services again: those that were paused, and incidents that were handed over')
    .argument('[services...]', 'their names')
    .option('--all', 'all of the namespace; with -A all of the cluster')
    .option('--everything', "turn the cluster's switch on; services that are paused stay so")
    .option('--reason <text>', 'with --everything: why')
    .action(lazy(session, async () => (await load()).resume))
    .addHelpText(
      'after',
      '\nExamples:\n  kurator resume web\n  kurator resume --all -A\n  kurator resume --everything\n',
    );
}
