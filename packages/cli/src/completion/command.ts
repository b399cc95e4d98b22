import { Argument, type Command } from 'commander';
import { lazy, type Session } from '../action.ts';

/** Declares `kurator completion`. */
export function declareCompletion(program: Command, session: Session): void {
  program
    .command('completion')
    .description('print a script that makes a shell complete this command')
    .addArgument(new Argument('<shell>', 'which shell').choices(['bash', 'zsh', 'fish']))
    .action(
      lazy(session, async () => {
        const { completionScript } = await import('./completion-script.ts');
        return async ({ print }, _options: object, shell: 'bash' | 'zsh' | 'fish') => {
          print(completionScript(program, shell));
          return 0;
        };
      }),
    )
    .addHelpText(
      'after',
      `
Examples:
  source <(kurator completion bash)                                    in ~/.bashrc
  kurator completion zsh > "\${fpath[1]}/_kurator"
  kurator completion fish > ~/.config/fish/completions/kurator.fish
`,
    );
}
