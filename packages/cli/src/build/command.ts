/** Declares `kurator build`. */
import { archiveOptions, type Command, lazy, platforms, type Session } from '@kurator/command';

export function declareBuild(program: Command, session: Session): void {
  archiveOptions(
    program
      .command('build')
      .description("build an operator's image, without a container engine; the same sources give the same digest")
      .argument('[folder]', "the operator's project", '.'),
    ['json', 'yaml', 'name'],
  )
    .option('--tag <name>', 'what the image is called (default: the package and its version)')
    .option('--base <image>', 'an image of a registry to put it on; one with Node in it brings the Node')
    .option('--platform <list>', "what it runs on, as linux/amd64,linux/arm64 (default: this machine's)", platforms)
    .option('--node <file>', 'the Linux node program to put into it (default: the one that runs this)')
    .option('--sbom <file>', 'also write the bill of materials (SPDX) to this file')
    .option('--load [cluster]', 'also load it into the nodes of this local cluster (default: "kurator")')
    .option('--push', 'also push it to the registry that its name says, and print NAME@DIGEST alone')
    .option('--insecure', 'the registry that is pushed to speaks plain HTTP; on this machine that needs not be said')
    .option('--insecure-base', 'the registry of the base image speaks plain HTTP')
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./build.ts')).build))
    .addHelpText(
      'after',
      `
The image runs as a user that is not root, and writes nothing but /tmp.
Threads and files that the program names by new URL('./x.ts', import.meta.url) come along;
others are named in package.json: "kurator": { "entries": { "worker": "src/worker.ts" } }
With --push NAME@DIGEST is printed, and nothing else: kurator deploy --image takes it.

Examples:
  kurator build                           the operator in this folder
  kurator build --load                    and load it into the cluster "kurator"
  kurator build --tag registry.example.com/web-operator:1.2.0 --push
  kurator build --base registry.example.com/node:24-slim
  kurator build --base registry.example.com/node:24-slim --platform linux/amd64,linux/arm64 --push
`,
    );
}
