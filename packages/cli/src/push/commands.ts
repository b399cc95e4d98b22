/** Declares `kurator push` and `kurator load`. */
import { type Command, lazy, type Session, shared } from '@kurator/command';

export function declarePush(program: Command, session: Session): void {
  shared
    .output(
      program
        .command('push')
        .description('push an image to a registry; what the registry has already is not sent again')
        .argument('<archive>', 'a file, such as `kurator build --archive` makes; - for standard input')
        .argument('<image>', 'where to: registry.example.com/demo/web-operator:1.2.0'),
    )
    .option('--sbom <file>', 'also put this bill of materials (SPDX) beside it, as `kurator build --sbom` writes it')
    .option('--insecure', 'the registry speaks plain HTTP; on this machine that needs not be said')
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('./push.ts')).push))
    .addHelpText(
      'after',
      `
Prints NAME@DIGEST, and nothing else, on standard output.

Whoever has logged in is known, by $REGISTRY_AUTH_FILE; docker's ~/.docker/config.json, or $DOCKER_CONFIG; podman's
$XDG_RUNTIME_DIR/containers/auth.json and ~/.config/containers/auth.json; and the credential helpers that they name.

Examples:
  kurator push operator.tar registry.example.com/demo/web-operator:1.2.0
  kurator push operator.tar localhost:5000/web-operator:dev
  image=$(kurator push operator.tar registry.example.com/demo/web-operator:1.2.0) && kurator deploy --image "$image"
`,
    );
  shared
    .name(program.command('load').description('load an image archive into every node of a local cluster'))
    .argument('<archive>', 'a file, such as `kurator build --archive` makes; - for standard input')
    .option('--as <image>', 'the name to give it, for an archive that names none')
    .option('--verbose', 'explain decisions')
    .action(lazy(session, async () => (await import('../cluster/load.ts')).load))
    .addHelpText('after', '\nExamples:\n  kurator load operator.tar\n');
}
