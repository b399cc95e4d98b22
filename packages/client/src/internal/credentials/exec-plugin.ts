/** Runs a credential plugin: a program that prints an ExecCredential with a token or a client certificate. */
import { spawn } from 'node:child_process';
import type { ClientConfig, ExecPlugin } from '../../config.ts';
import { ClientError } from '../../error.ts';
import { parseJson } from '../json.ts';

/** What a plugin gave. */
export interface ExecCredential {
  readonly token?: string;
  readonly cert?: string;
  readonly key?: string;
  /** Milliseconds since 1970; absent where the plugin named none. */
  readonly expires?: number;
}

const TIMEOUT = 60_000;
const LONGEST_OUTPUT = 1024 * 1024;

export async function runExecPlugin(
  plugin: ExecPlugin,
  config: ClientConfig,
  hasTerminal: boolean = process.stdin.isTTY === true,
): Promise<ExecCredential> {
  const interactive = hasTerminal && plugin.interactiveMode !== 'Never';
  if (plugin.interactiveMode === 'Always' && !interactive) {
    throw failed(plugin, 'wants to talk to a person (interactiveMode: Always), and there is no terminal');
  }
  const info = JSON.stringify({
    apiVersion: plugin.apiVersion,
    kind: 'ExecCredential',
    spec: { interactive, ...(plugin.provideClusterInfo ? { cluster: clusterInfo(plugin, config) } : {}) },
  });
  return credentialFrom(plugin, await outputOf(plugin, info, interactive));
}

// Its standard error goes to ours, as with kubectl: it is meant for people, and only they can tell whether it is secret.
async function outputOf(plugin: ExecPlugin, info: string, interactive: boolean): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const timeout = plugin.timeout ?? TIMEOUT;
  const child = spawn(plugin.command, plugin.args ?? [], {
    env: { ...process.env, ...plugin.env, KUBERNETES_EXEC_INFO: info },
    stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
    timeout,
    killSignal: 'SIGKILL',
  });
  let output = '';
  let ended = false;
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.length > LONGEST_OUTPUT) child.kill('SIGKILL');
    if (ended) resolveIfWhole();
  });
  // What the plugin started may hold its output open for as long as it lives: nobody waits for that.
  const resolveIfWhole = () => {
    if (parseJson(output) !== undefined) resolve(output);
  };
  const held = setTimeout(() => {
    if (ended) reject(failed(plugin, 'printed no credential, and left a process behind that holds its output'));
  }, timeout);
  child.on('error', (cause: NodeJS.ErrnoException) => reject(notStarted(plugin, cause)));
  child.on('exit', (code, signal) => {
    ended = true;
    if (code === 0) resolveIfWhole();
    else if (code !== null)
      reject(failed(plugin, `failed with exit code ${code}: its own words are on standard error`));
    else
      reject(
        failed(plugin, `was ended by ${signal}: it may take ${timeout / 1000} s and print ${LONGEST_OUTPUT} bytes`),
      );
  });
  child.on('close', () => resolve(output));
  try {
    return await promise;
  } finally {
    clearTimeout(held);
    child.stdout?.destroy();
  }
}

function credentialFrom(plugin: ExecPlugin, output: string): ExecCredential {
  const credential = parseJson(output) as
    | { apiVersion?: string; kind?: string; status?: Record<string, string | undefined> }
    | undefined;
  if (credential?.kind !== 'ExecCredential') throw failed(plugin, 'did not print an ExecCredential');
  if (credential.apiVersion !== plugin.apiVersion) {
    throw failed(plugin, `printed ${credential.apiVersion}, and the kubeconfig says ${plugin.apiVersion}`);
  }
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = credential.status ?? {};
  if (!token && !cert) throw failed(plugin, 'gave neither a token nor a client certificate');
  if (!cert !== !key) throw failed(plugin, 'must give a client certificate and its key together');
  const expires = Date.parse(expirationTimestamp ?? '');
  return {
    ...(token ? { token } : {}),
    ...(cert && key ? { cert, key } : {}),
    ...(Number.isNaN(expires) ? {} : { expires }),
  };
}

function clusterInfo({ clusterConfig }: ExecPlugin, config: ClientConfig) {
  return {
    server: config.server,
    'tls-server-name': config.tlsServerName,
    'insecure-skip-tls-verify': config.insecureSkipTlsVerify,
    'certificate-authority-data': config.ca === undefined ? undefined : Buffer.from(config.ca).toString('base64'),
    'proxy-url': config.proxyUrl,
    config: clusterConfig,
  };
}

function notStarted(plugin: ExecPlugin, cause: NodeJS.ErrnoException): ClientError {
  if (cause.code !== 'ENOENT') return failed(plugin, `can't be started (${cause.code})`, cause);
  return failed(plugin, plugin.installHint ? `is not installed.\n${plugin.installHint}` : 'is not installed', cause);
}

// Arguments and environment stay out of it: they may hold secrets.
function failed({ command }: ExecPlugin, what: string, cause?: unknown): ClientError {
  const message = `the credential plugin "${command}" ${what}`;
  return new ClientError('KUR_CLIENT_CREDENTIALS', message, cause === undefined ? {} : { cause });
}
