/** Who one is to registries on this machine, as docker, podman and their kin have written it down. */
import { open } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { RegistryError } from '../error.ts';
import { askProgram } from './credential-program.ts';
import type { CredentialSource } from './credentials.ts';
import { credentialsIn, type DockerConfig, programFor, readDockerConfig } from './docker-config.ts';

/** Where log-ins are looked for. */
export interface DockerCredentialsOptions {
  /** Where settings are read from, and what credential helpers are started with; `process.env` unless told. */
  readonly environment?: NodeJS.ProcessEnv;
  /** How long a credential helper may take, in milliseconds; 30 s unless told. */
  readonly patience?: number;
}

/** In bytes. */
const LONGEST_FILE = 1024 * 1024;

/**
 * The log-ins of this machine's user, looked for in this order: `$REGISTRY_AUTH_FILE`; `$DOCKER_CONFIG/config.json`, else
 * `~/.docker/config.json`; podman's `$XDG_RUNTIME_DIR/containers/auth.json` and `~/.config/containers/auth.json`. The first that
 * knows the registry is right. Files are read again for each question: who logs in meanwhile is known.
 */
export function dockerCredentials(options: DockerCredentialsOptions = {}): CredentialSource {
  const { environment = process.env, patience } = options;
  return async (place, { signal } = {}) => {
    for (const path of files(environment)) {
      const config = await read(path);
      if (!config) continue;
      const kept = programFor(config, place);
      const found =
        (kept && (await askProgram({ ...kept, environment, signal, patience }))) ?? credentialsIn(config, place);
      if (found) return found;
    }
    return undefined;
  };
}

function files({
  REGISTRY_AUTH_FILE,
  DOCKER_CONFIG,
  XDG_RUNTIME_DIR,
  XDG_CONFIG_HOME,
  HOME,
}: NodeJS.ProcessEnv): string[] {
  const home = HOME || homedir();
  return [
    ...(REGISTRY_AUTH_FILE ? [REGISTRY_AUTH_FILE] : []),
    join(DOCKER_CONFIG || join(home, '.docker'), 'config.json'),
    ...(XDG_RUNTIME_DIR ? [join(XDG_RUNTIME_DIR, 'containers', 'auth.json')] : []),
    join(XDG_CONFIG_HOME || join(home, '.config'), 'containers', 'auth.json'),
  ];
}

async function read(path: string): Promise<DockerConfig | undefined> {
  try {
    await using file = await open(path);
    const { size } = await file.stat();
    if (size > LONGEST_FILE) throw unreadable(path, `has more than ${LONGEST_FILE / 1024} KiB`);
    return readDockerConfig(await file.readFile('utf8'), path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error instanceof RegistryError ? error : unreadable(path, `can't be read: ${code}`);
  }
}

function unreadable(path: string, how: string): RegistryError {
  return new RegistryError('KUR_REGISTRY_CREDENTIALS', `${path} ${how}.`, { remedy: 'Mend it, or log in anew.' });
}
