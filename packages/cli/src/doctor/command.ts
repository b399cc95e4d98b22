import { type Command, lazy, type Session, shared } from '@kurator/command';

/** Declares `doctor`, which is a command of its own and one of `cluster` too. */
export function declareDoctor(parent: Command, session: Session): void {
  shared
    .output(
      parent
        .command('doctor')
        .description("say what this machine can and can't run, and the command that mends it")
        .option('--verbose', 'also show what is as it should be')
        .action(lazy(session, async () => (await import('./doctor.ts')).showDoctor)),
    )
    .addHelpText('after', '\nThe exit code is 1 where something is missing that nodes or a control plane need.');
}
