/** Declares `kurator drill`. */
import { type Command, formerly, lazy, Option, type Session, wholeNumber } from '@kurator/command';
import { placed } from '../healer/placed.ts';
import { faultNames } from './faults.ts';

export function declareDrill(program: Command, session: Session): void {
  const drill = placed(program.command('drill'))
    .description('break a service of yours on purpose, and report how it was found and repaired')
    .argument('[service]', 'its name')
    .addOption(new Option('--fault <fault>', 'what is to go wrong').choices(faultNames))
    .option('--list', 'say what each fault does, what it needs, and what ends it')
    .option('--dry-run', 'check everything, say what would be done, and do nothing')
    .option('-y, --yes', 'do not ask')
    .option('--deadline <time>', 'take the fault away after this long, whatever happens (default: by fault)')
    .option('--heal', 'end the drill of this service that is under way')
    .option('--pod <pod>', 'which pod (default: the first that is ready)')
    .option('--container <name>', 'which container of it (default: as kubectl exec chooses)')
    .option('--dependency <service>', 'with dependency: which of those that it depends on is to fail')
    .addOption(
      new Option('--percent <number>', 'with packet-loss: of a hundred packets (default: 30)').argParser(
        wholeNumber(1, 100),
      ),
    )
    .option('--image <image>', "the image of the ephemeral container (default: the pod's own image)")
    .addOption(
      new Option('--rate <number>', 'requests a second through its Service, to count those that are lost')
        .argParser(wholeNumber(0, 50))
        .default(10),
    )
    .option('--path <path>', 'what they ask for (default: as its HTTP check)')
    .addOption(new Option('-o, --output <form>', 'how to print the report').choices(['json', 'yaml']))
    .action(lazy(session, async () => (await import('./drill.ts')).drill))
    .addHelpText(
      'after',
      `
A namespace must allow it: kubectl label namespace shop kurator.sh/drill=allowed

It ends with 0 if the service recovered by itself (of a load: if nothing was restarted), with 3 if it did not, with 4 if
nobody noticed. Ctrl-C takes the fault away at once; if this command is killed, the fault ends by itself.

Examples:
  kurator drill --list
  kurator drill web --fault hang --dry-run
  kurator drill web --fault hang
  kurator drill web --fault packet-loss --percent 20 --image registry.example.com/iptables
  kurator drill web --fault dependency --dependency database --yes -o json
  kurator drill web --heal
`,
    );
  formerly(drill, '--instance <pod>', { option: '--pod' });
}
