import { Argument, type Command, lazy, type Session } from '@kurator/command';

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
          print(completionScript(shell));
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

Names of services, incidents, namespaces and contexts come from the cluster that the line means.
\`kubectl kurator\` is completed by kubectl's own completion, if kubectl_complete-kurator is on the PATH.
`,
    );
  program
    .command('__complete', { hidden: true })
    .description('what may come next in a line; for the scripts that `completion` prints')
    .argument('[words...]')
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .action(
      lazy(session, async () => {
        const { completionAnswer } = await import('@kurator/command');
        return async ({ print }, _options: object, words: string[]) => {
          print(await completionAnswer(program, words, { clusters: clusterNames }));
          return 0;
        };
      }),
    );
}

/** Clusters of this machine. */
async function clusterNames(): Promise<string[]> {
  const { listClusters } = await import('@kurator/testenv');
  return (await listClusters()).map(({ name }) => name);
}
