/** Who one is to a registry, as `docker login` and its kin have written it down. */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { RegistryCredentials } from '@kurator/testenv';
import { CliError } from '../error.ts';

interface DockerConfig {
  auths?: Record<string, { auth?: string; username?: string; password?: string; identitytoken?: string }>;
  credHelpers?: Record<string, string>;
  credsStore?: string;
}

/** Docker Hub's log-in is kept under a name of long ago. */
const HUB = 'https://index.docker.io/v1/';

/** Undefined where nobody has logged in. */
export async function credentialsFor(
  host: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<RegistryCredentials | undefined> {
  const path = join(environment.DOCKER_CONFIG || join(homedir(), '.docker'), 'config.json');
  const config = await readConfig(path);
  const key = host === 'docker.io' ? HUB : host;
  const helper = config.credHelpers?.[key] ?? config.credHelpers?.[host] ?? config.credsStore;
  const kept = helper ? await fromHelper(helper, key, environment) : undefined;
  return kept ?? fromEntry(config.auths?.[key] ?? config.auths?.[`https://${host}`] ?? {});
}

async function readConfig(path: string): Promise<DockerConfig> {
  const content = await readFile(path, 'utf8').catch(() => '{}');
  try {
    return JSON.parse(content) as DockerConfig;
  } catch (cause) {
    throw broken(path, cause);
  }
}

function broken(path: string, cause: unknown): CliError {
  return new CliError('KUR_CLI_DOCKER_CONFIG', `${path} is not JSON`, { remedy: 'mend it, or log in anew', cause });
}

function fromEntry(entry: NonNullable<DockerConfig['auths']>[string]): RegistryCredentials | undefined {
  if (entry.identitytoken) return { identityToken: entry.identitytoken };
  if (entry.username && entry.password) return { username: entry.username, password: entry.password };
  const decoded = Buffer.from(entry.auth ?? '', 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  return colon > 0 ? { username: decoded.slice(0, colon), password: decoded.slice(colon + 1) } : undefined;
}

/** See github.com/docker/docker-credential-helpers. One that isn't there, or knows nothing, is as if nobody had logged in. */
async function fromHelper(
  helper: string,
  key: string,
  environment: NodeJS.ProcessEnv,
): Promise<RegistryCredentials | undefined> {
  const child = spawn(`docker-credential-${helper}`, ['get'], { env: environment, stdio: ['pipe', 'pipe', 'ignore'] });
  const code = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null)).once('close', resolve);
  });
  child.stdin.on('error', () => {});
  child.stdin.end(key);
  const answer = await text(child.stdout);
  if ((await code) !== 0) return undefined;
  const { Username, Secret } = JSON.parse(answer) as { Username: string; Secret: string };
  return Username === '<token>' ? { identityToken: Secret } : { username: Username, password: Secret };
}
