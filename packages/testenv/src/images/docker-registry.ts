/** How to run Debian's docker-registry for a cluster, and how nodes get to know it. Starts nothing by itself. */
import { isIP } from 'node:net';
import { isAbsolute } from 'node:path';
import { stringify } from 'yaml';
import { TestenvError } from '../error.ts';

/** Where a registry listens and keeps its images. */
export interface DockerRegistrySettings {
  /** `host:port` to listen on: `10.96.0.3:5000`. */
  address: string;
  /** Absolute path of the folder that holds the images; made when the first one is pushed. */
  folder: string;
}

/** What a supervisor needs to run the registry. */
export interface DockerRegistry {
  /** The content of the configuration file. */
  config: string;
  /** The command line, for a configuration at that path. */
  command(configFile: string): [program: string, ...args: string[]];
  /** Answers 200 when the registry is up. */
  healthUrl: string;
}

const PROGRAM = 'docker-registry';

/** Configuration and command line of a registry without TLS and without passwords, for a network that nobody else is on. */
export function dockerRegistry({ address, folder }: DockerRegistrySettings): DockerRegistry {
  checkAddress(address);
  if (!isAbsolute(folder)) {
    throw new TestenvError('KUR_TESTENV_REGISTRY', `The registry's \`folder\` is "${folder}".`, {
      remedy: 'Give an absolute path.',
    });
  }
  const config = stringify({
    version: 0.1,
    log: { level: 'info', accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: folder }, delete: { enabled: true } },
    http: { addr: address },
  });
  return { config, command: (configFile) => [PROGRAM, 'serve', configFile], healthUrl: `http://${address}/v2/` };
}

/**
 * The `hosts.toml` that makes containerd pull from the registry over plain HTTP. It belongs into the folder
 * `HOST` of the CRI plugin's `registry.config_path`, where HOST is what image names begin with: the address itself, or
 * any other name, which then needs no DNS.
 */
export function registryHosts(address: string): string {
  checkAddress(address);
  return `server = "http://${address}"\n\n[host."http://${address}"]\n  capabilities = ["pull", "resolve"]\n`;
}

function checkAddress(address: string): void {
  const [, host, port] = /^(.+):(\d+)$/.exec(address) ?? [];
  const plain = host?.replace(/^\[(.*)\]$/, '$1') ?? '';
  const isHost = isIP(plain) > 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(plain);
  if (isHost && Number(port) > 0 && Number(port) < 65536) return;
  throw new TestenvError('KUR_TESTENV_REGISTRY', `"${address}" is not an address for a registry.`, {
    remedy: 'Write host:port.',
  });
}
