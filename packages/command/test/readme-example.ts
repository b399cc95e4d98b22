import { CliError, emptyProgram, lazy, runProcess, shared, table } from '@kurator/command';

await runProcess((session) => {
  const program = emptyProgram('shops', '1.0.0', session);
  shared
    .output(program.command('list').description('show the shops of a town'), ['json'])
    .argument('<town>')
    .action(
      // What it takes to do it is loaded here, so that --help is quick.
      lazy(session, async () => async ({ print }, { output }: { output?: 'json' }, town: string) => {
        if (town !== 'Ghent') throw new CliError('KUR_CLI_NOT_FOUND', `no shop in ${town}`, { remedy: 'try Ghent' });
        const shops = [{ name: 'bakery', open: 'yes' }];
        const rows = shops.map(({ name, open }) => [name, open]);
        print(output === 'json' ? JSON.stringify(shops) : table(['NAME', 'OPEN'], rows));
        return 0;
      }),
    );
  return program;
});
