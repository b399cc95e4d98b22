/** Declares `kurator push` and `kurator load`. */
import type { Command } from 'commander';
import { lazy, type Session } from '../action.ts';
import { shared } from '../options.ts';

export function declarePush(program: Command, session: Session): void {
  shared
    .json(
      program
        .command('push')
        .description('push an image to a registry; what the registry has already is not sent again')
        .argument('<archive>', 'a file, such as `kurator build --output` makes')
        .argument('<image>', 'where to: registry.example.com/demo/web-operator:1.2.0'),
    )
    .option('--sbom <file>', 'also put this bill of materials (SPDX) beside it, as `kurator build --sbom` writes it')
    .option('--insecure', 'the registry speaks plain HTTP; on this machine that needs not be said')
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./push.ts')).push))
    .addHelpText(
      'after',
      `
Whoever has logged in with docker, podman or a credential helper is known: ~/.docker/config.json, or $DOCKER_CONFIG.

Examples:
  kurator push operator.tar registry.example.com/demo/web-operator:1.2.0
  kurator push operator.tar localhost:5000/web-operator:dev
`,
    );
  shared
    .name(program.command('load').description('load an image archive into every node of a local cluster'))
    .argument('<archive>', 'a file, such as `kurator build --output` makes')
    .option('--as <image>', 'the name to give it, for an archive that names none')
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('../cluster/load.ts')).load))
    .addHelpText('after', '\nExamples:\n  kurator load operator.tar\n');
}
