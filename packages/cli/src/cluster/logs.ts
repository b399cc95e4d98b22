/** `kurator cluster logs`: reads files, so it works for a cluster that died, too. */
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Action, CliError } from '@kurator/command';
import { openCluster } from '@kurator/testenv';
import type { NameOption } from './named-cluster.ts';

interface LogsOptions extends NameOption {
  follow?: boolean;
  lines?: number;
}

const LOOK_EVERY = 200;

export const logs: Action<LogsOptions, [component?: string]> = async ({ print, signal }, options, component) => {
  const cluster = await openCluster(options.name);
  const folder = join(cluster.folder, 'logs');
  const files = logFiles(await readdir(folder).catch(() => []));
  if (component === undefined) {
    print([...files.keys()].join('\n'));
    return 0;
  }
  const file = findLog(component, files, cluster.config.nodes);
  let position = await printFrom(join(folder, file), 0, print, options.lines);
  while (options.follow) {
    // Ctrl-C is how this ends: no error, and nothing to say.
    if (await delay(LOOK_EVERY, false, { signal }).catch(() => true)) return 0;
    position = await printFrom(join(folder, file), position, print);
  }
  return 0;
};

/** Log files by the name of what writes them: `n1-kubelet.log` is `kubelet@n1`. Pure. */
export function logFiles(files: readonly string[]): ReadonlyMap<string, string> {
  const named = files
    .filter((file) => file.endsWith('.log'))
    .map((file): [string, string] => {
      const [, machine, program] = /^(n\d+)-(.+)\.log$/.exec(file) ?? [];
      return [machine ? `${program}@${machine}` : file.slice(0, -'.log'.length), file];
    });
  return new Map(named.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** `kubelet` will do where there is only one. Pure. */
export function findLog(component: string, files: ReadonlyMap<string, string>, nodes: number): string {
  const alike = [...files.keys()].filter((name) => name === component || name.startsWith(`${component}@`));
  const exact = alike.includes(component) ? component : alike[0];
  if (exact !== undefined && (exact === component || alike.length === 1)) return files.get(exact) as string;
  const why =
    alike.length > 1
      ? 'runs on several nodes'
      : nodes === 0
        ? 'is not part of this cluster, a control plane alone'
        : 'is not part of this cluster';
  throw new CliError('KUR_CLI_NO_COMPONENT', `"${component}" ${why}`, {
    remedy: `choose one of ${(alike.length > 1 ? alike : [...files.keys()]).join(', ')}`,
  });
}

/** Prints whole lines from a position on, and gives the position after them. A file that is gone has nothing more. */
async function printFrom(file: string, from: number, print: (text: string) => void, lines?: number): Promise<number> {
  const size = (await stat(file).catch(() => undefined))?.size ?? from;
  if (size <= from) return from;
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(file, { start: from, end: size - 1 })) chunks.push(chunk as Buffer);
  const content = Buffer.concat(chunks);
  const end = content.lastIndexOf('\n');
  if (end < 0) return from;
  const text = content.subarray(0, end).toString();
  const wanted = lines === undefined ? text : lastLines(text, lines);
  if (wanted !== undefined) print(wanted);
  return from + end + 1;
}

function lastLines(text: string, count: number): string | undefined {
  return count === 0 ? undefined : text.split('\n').slice(-count).join('\n');
}
