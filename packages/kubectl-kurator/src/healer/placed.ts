/** Options that all of the healer's commands have: which cluster, and which part of it. */
import { type Command, InvalidArgumentError } from '@kurator/command';

/** Which services are meant, where nobody names them. */
export interface Selection {
  readonly selector?: string;
}

/** Adds `-l`, for commands that are about several services. */
export function selected(command: Command): Command {
  return command.option('-l, --selector <query>', 'only services with these labels, such as team=shop', query);
}

/** An empty one means all to the API server, and in a script that its variable is not set. */
function query(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError("Use labels such as team=shop,tier!=test or 'team in (shop,blog)'.");
}

/** Adds them. */
export function placed(command: Command): Command {
  return command
    .option('-n, --namespace <namespace>', "which namespace (default: the context's)")
    .option('-A, --all-namespaces', 'in all namespaces')
    .option('--context <name>', 'which context of the kubeconfig (default: the current one)')
    .option('--kubeconfig <file>', 'which kubeconfig (default: $KUBECONFIG, then ~/.kube/config)')
    .option('--verbose', 'show codes and causes of errors');
}
