/** Whether a proxy would swallow what is meant for a cluster. Pure. */

/** The range that a cluster has its addresses from, as long as the machine has no other use for it. */
export const clusterRange = '10.128.0.0/9';

/** Those that it has them from otherwise. */
const otherRanges = ['172.16.0.0/12', '192.168.0.0/16', '198.18.0.0/15'];

const PROXIES = ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY', 'http_proxy', 'HTTP_PROXY'];

/** The variable that sends requests for a cluster's addresses to a proxy; undefined if none does. */
export function catchingProxy(env: NodeJS.ProcessEnv): string | undefined {
  const variable = PROXIES.find((name) => env[name]);
  if (!variable) return undefined;
  const exceptions = (env.no_proxy || env.NO_PROXY || '').split(',').map((part) => part.trim());
  return exceptions.some(coversClusters) ? undefined : variable;
}

/** Go's programs, kubectl among them, read ranges in NO_PROXY; other programs often don't, which we can't help. */
function coversClusters(exception: string): boolean {
  if (exception === '*') return true;
  const [, first, second, prefix] = /^(\d+)\.(\d+)\.\d+\.\d+\/(\d+)$/.exec(exception) ?? [];
  const length = Number(prefix);
  if (length === 9) return first === '10' && Number(second) >= 128;
  return length === 0 || (length <= 8 && first === '10');
}

/** The environment with an exception from its proxies for clusters and this machine. */
export function withoutProxyForClusters(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (!PROXIES.some((name) => env[name])) return env;
  const given = env.no_proxy || env.NO_PROXY;
  const exceptions = [given, clusterRange, ...otherRanges, '127.0.0.1', 'localhost'].filter(Boolean).join(',');
  return { ...env, no_proxy: exceptions, NO_PROXY: exceptions };
}
