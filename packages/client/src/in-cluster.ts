import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClientConfig } from './config.ts';
import { ClientError } from './error.ts';

/** Where a pod finds its service account. The defaults are Kubernetes' own; others are for tests. */
export interface InClusterOptions {
  /** `/var/run/secrets/kubernetes.io/serviceaccount` unless given. */
  folder?: string;
  /** Has KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT; this process's environment unless given. */
  env?: Readonly<Record<string, string | undefined>>;
}

/** The configuration of a pod: its own service account, whose token is read again when the kubelet renews it. */
export async function inClusterConfig(options: InClusterOptions = {}): Promise<ClientConfig> {
  const { folder = '/var/run/secrets/kubernetes.io/serviceaccount', env = process.env } = options;
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env;
  if (!host) throw notInCluster('this process does not run in a pod: KUBERNETES_SERVICE_HOST is not set');
  const tokenFile = join(folder, 'token');
  const caFile = join(folder, 'ca.crt');
  const [, ca, namespace] = await Promise.all([
    readMounted(tokenFile),
    readMounted(caFile),
    readFile(join(folder, 'namespace'), 'utf8').catch(() => ''),
  ]);
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    ca,
    caFile,
    tokenFile,
    ...(namespace.trim() ? { namespace: namespace.trim() } : {}),
  };
}

async function readMounted(file: string): Promise<string> {
  return await readFile(file, 'utf8').catch((cause: Error) => {
    throw notInCluster(
      `the pod has no service account token: ${cause.message}; set automountServiceAccountToken: true`,
      cause,
    );
  });
}

function notInCluster(message: string, cause?: unknown): ClientError {
  return new ClientError('KUR_CLIENT_KUBECONFIG', message, cause === undefined ? {} : { cause });
}
