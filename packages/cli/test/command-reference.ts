/** Writes docs/reference/cli.md out of the commands' own help, so that the one can't differ from the other. */
import type { Command } from '@kurator/command';

const introduction = `# The \`kurator\` command

This page is made from the command's own help. After a change, write it anew:
\`npm run test:unit -- packages/cli/src/reference.test.ts -u\`

From a clone, \`npm run -s kurator -- ARGUMENTS\` runs it without an install step.

## What it prints, and how it ends

Results go to standard output, everything else (progress, explanations, errors) to standard error. With \`-o json\` the
result is JSON whose fields stay; new ones may come.

An older spelling of an option goes on working, and a line \`hint: …\` says how it is written now.

An error is \`error: what happened\`, then \`fix: what mends it\`; \`--verbose\` adds its code and where it comes from.

| exit code | meaning |
| --- | --- |
| 0 | done |
| 1 | something went wrong, and nothing half made is left |
| 2 | the command was not understood, not confirmed, or an option's value makes no sense: nothing was done |
| 3 | with \`--exit-code\`: a service is not healthy, or an incident is open; \`scorecard\`: something is not met; \`drill\`: it did not recover by itself |
| 4 | \`drill\`: nobody noticed |
| 130, 143, 129 | ended by Ctrl-C, SIGTERM or SIGHUP, after cleaning up |

\`cluster kubectl\` and \`cluster exec-on\` end with the exit code of what they run.

## Environment

| variable | meaning |
| --- | --- |
| \`XDG_STATE_HOME\` | clusters live in \`kurator/clusters\` below it (default: \`~/.local/state\`) |
| \`XDG_CACHE_HOME\` | programs and images are kept in \`kurator\` below it (default: \`~/.cache\`) |
| \`KURATOR_INSTALL\` | \`yes\`: missing Debian packages may be installed unasked, as with \`CI=true\`; \`no\`: never |
| \`KURATOR_PATIENCE\` | a factor, 1 to 100, for the deadlines of clusters on a slow or busy machine |
| \`KUBEBUILDER_ASSETS\` | a folder with Kubernetes programs that is looked into first |
| \`KUBECONFIG\` | the cluster that is asked; its \`proxy-url\` comes before \`HTTPS_PROXY\` |
| \`NO_COLOR\` | with anything in it: no colours. There are none but on a terminal anyway |
| \`HTTPS_PROXY\`, \`HTTP_PROXY\`, \`NO_PROXY\` | respected for downloads, registries and clusters; \`NO_PROXY\` should have \`10.128.0.0/9\`, where clusters are |
| \`REGISTRY_AUTH_FILE\`, \`DOCKER_CONFIG\`, \`XDG_RUNTIME_DIR\` | where log-ins to registries are, besides docker's and podman's usual places |

## Commands
`;

const WIDTH = 100;

export function commandReference(program: Command): string {
  const sections = program
    .createHelp()
    .visibleCommands(program)
    .flatMap((command) => sectionsOf(command, 3));
  return `${[introduction.trimEnd(), ...sections].join('\n\n')}\n`;
}

function sectionsOf(command: Command, level: number): string[] {
  const heading = `${'#'.repeat(level)} \`${pathOf(command)}\``;
  const own = `${heading}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\``;
  return [own, ...command.commands.flatMap((each) => sectionsOf(each, Math.min(level + 1, 6)))];
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

function helpOf(command: Command): string {
  let text = '';
  const writeOut = (chunk: string) => {
    text += chunk;
  };
  command.configureOutput({ writeOut, getOutHelpWidth: () => WIDTH }).outputHelp();
  return text.trim();
}
