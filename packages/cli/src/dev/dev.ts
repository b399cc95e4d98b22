/** `kurator dev` */

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { type Action, CliError } from '@kurator/command';
import { readProject } from '../project/project.ts';
import { type ClusterChoice, devCluster } from './cluster.ts';
import type { DevSettings, LoadedOperator } from './messages.ts';
import { Reloading } from './reloading.ts';
import { createRunner } from './runner.ts';
import { watchSources } from './source-watch.ts';
import { Takeover } from './takeover.ts';
import { createView } from './view.ts';

/** As commander gives them. */
export interface DevOptions extends ClusterChoice {
  watchNamespace?: string[];
  takeover?: boolean;
  verbose?: boolean;
}

export const dev: Action<DevOptions, [project: string]> = async (context, options, project) => {
  const { folder, name, operatorFile } = await readProject(project);
  const file = join(folder, operatorFile);
  checkProject(folder, file);
  const cluster = await devCluster(context, name, options);
  const view = createView(context.live, name);
  const takeover = new Takeover({
    client: cluster.client,
    // In a cluster of its own nobody else's operator can be meant.
    takeover: options.takeover ?? options.local ?? false,
    signal: context.signal,
    say: view.say,
  });
  const common = {
    webhookPort: await freePort(),
    verbose: options.verbose ?? false,
    ...(options.context ? { context: options.context } : {}),
    ...(options.watchNamespace ? { namespaces: options.watchNamespace } : {}),
  };
  const create = () =>
    createRunner({
      folder,
      file,
      env: cluster.env,
      onReport: view.show,
      onEnd: (why) => view.say(`it ended; waiting for a change:\n${why}`),
    });
  const settings = async (operator: LoadedOperator): Promise<DevSettings> => {
    return { ...common, ...(await takeover.prepare(operator)) };
  };
  const reloading = new Reloading({ settings, create, say: view.say });
  // A start that fails is told below.
  const stopWatching = watchSources(dirname(file), (what) => void reloading.changed(what).catch(() => {}));
  try {
    view.say(`${name} runs against ${cluster.title}`);
    const started = reloading.start().catch((error: Error) => {
      throw error instanceof CliError ? error : notStarted(operatorFile, error);
    });
    await Promise.race([started, untilEnded(context.signal)]);
    if (!context.signal.aborted) view.say('up; reloads when a source is saved');
    await untilEnded(context.signal);
  } finally {
    stopWatching();
    view.close();
    await reloading.stop();
    await takeover.end();
    await cluster.end();
  }
  return 0;
};

/** Until Ctrl-C. */
async function untilEnded(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

function checkProject(folder: string, file: string): void {
  if (!existsSync(file)) {
    const remedy = 'export the operator there, or name the file in package.json: "kurator": { "operator": "…" }';
    throw new CliError('KUR_CLI_PROJECT', `there is no ${file}`, { remedy });
  }
  if (existsSync(join(folder, 'node_modules', '@kurator', 'sdk'))) return;
  const remedy = 'run npm install';
  throw new CliError('KUR_CLI_PROJECT', `the packages of ${folder} are not installed`, { remedy });
}

function notStarted(file: string, cause: Error): CliError {
  return new CliError('KUR_CLI_OPERATOR', `the operator in ${file} can't be started:\n${cause.message}`, {
    remedy: 'mend what it says, and start again',
    cause,
  });
}

/** A port of this machine that nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
