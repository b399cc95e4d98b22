/** Declares `kurator image …`. */
import { archiveOptions, type Command, collect, lazy, Option, platforms, type Session } from '@kurator/command';

const sources = ['folder', 'binary', 'nodeBundle', 'packages', 'busybox'] as const;

export function declareImage(program: Command, session: Session): void {
  const image = program
    .command('image')
    .description('build container images, without a container engine')
    .helpCommand(false);
  const build = archiveOptions(image.command('build').description('build an image archive, and print its path'), [
    'json',
    'yaml',
    'name',
  ]);
  const source = (flags: string, description: string, own: (typeof sources)[number]) =>
    build.addOption(new Option(flags, description).conflicts(sources.filter((other) => other !== own)));
  source('--folder <folder>', "the image is a folder's content", 'folder');
  source('--binary <file>', 'the image is one static program', 'binary');
  source('--node-bundle <path>', 'the image runs JavaScript: a bundled file, or a folder', 'nodeBundle');
  source('--packages <list>', 'the image is a small Debian with these packages, separated by commas', 'packages');
  source('--busybox', 'the image has a shell and the usual small programs', 'busybox');
  build
    .requiredOption('--tag <name>', 'as a pod would write it: web:v1')
    .option('--platform <list>', "what it runs on, as linux/amd64,linux/arm64 (default: this machine's)", platforms)
    .option('--from <archive>', 'put it on top of the image in this archive')
    .option('--entrypoint <word>', 'the program to run; again for each of its arguments', collect)
    .option('--env <name=value>', 'a variable; may be given several times', collect)
    .option('--user <user>', 'uid, uid:gid or a name')
    .option('--workdir <folder>', 'an absolute path in the image')
    .option('--load <cluster>', 'also load it into the nodes of this cluster')
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./build.ts')).build))
    .addHelpText(
      'after',
      `
With several platforms the archive has an image for each. {arch} in the paths of --folder, --binary, --node-bundle and --from is
the architecture.

Examples:
  kurator image build --tag web:v1 --binary ./web --load kurator
  kurator image build --tag web:v1 --binary './web-{arch}' --platform linux/amd64,linux/arm64 --archive web.tar
  kurator image build --tag operator:v1 --node-bundle dist/main.js --archive operator.tar
  kurator image build --tag db:v1 --packages postgresql
`,
    );
}
