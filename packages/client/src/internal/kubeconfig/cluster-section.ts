import type { ClientConfig } from '../../config.ts';
import { pemIn } from './pem.ts';
import { present } from './present.ts';
import { flagIn, type Section, textIn, wrong } from './section.ts';

/** What a cluster entry says of where the API server is, and how to know it. */
export async function clusterConfig(cluster: Section): Promise<ClientConfig> {
  const ca = await pemIn(cluster, 'certificate-authority');
  const insecure = flagIn(cluster, 'insecure-skip-tls-verify');
  if (insecure && ca.text !== undefined) {
    throw wrong(`${cluster.source}: certificate-authority and insecure-skip-tls-verify exclude each other: remove one`);
  }
  return present<ClientConfig>({
    server: serverIn(cluster),
    ca: ca.text,
    caFile: ca.file,
    tlsServerName: textIn(cluster, 'tls-server-name'),
    insecureSkipTlsVerify: insecure || undefined,
    proxyUrl: proxyIn(cluster),
  });
}

function serverIn(cluster: Section): string {
  const server = textIn(cluster, 'server');
  if (server === undefined) throw wrong(`${cluster.source}: the cluster has no server`);
  if (isUrl(server, ['http:', 'https:'])) return server;
  throw wrong(`${cluster.source}: server "${server}" is not an http or https URL`);
}

function proxyIn(cluster: Section): string | undefined {
  const proxy = textIn(cluster, 'proxy-url');
  if (proxy === undefined || isUrl(proxy, ['http:', 'https:', 'socks5:'])) return proxy;
  // Not quoted: it may hold a password.
  throw wrong(`${cluster.source}: "proxy-url" is not an http, https or socks5 URL`);
}

function isUrl(text: string, protocols: readonly string[]): boolean {
  return URL.canParse(text) && protocols.includes(new URL(text).protocol);
}
