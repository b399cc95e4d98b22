/** Where the registry of an image is. Pure. */
import { parseImageName } from '@kurator/testenv';

/** A place in a registry. */
export interface RegistryAddress {
  /** As image names begin with it, and as log-ins are kept under it. */
  readonly host: string;
  readonly url: string;
  /** `repository:tag` */
  readonly target: string;
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/;

/** @param insecure Whether the registry speaks plain HTTP; always so on this machine. */
export function registryAddress(name: string, insecure = false): RegistryAddress {
  const { host, repository, tag } = parseImageName(name);
  const scheme = insecure || LOOPBACK.test(host) ? 'http' : 'https';
  const server = host === 'docker.io' ? 'registry-1.docker.io' : host;
  return { host, url: `${scheme}://${server}`, target: `${repository}:${tag}` };
}
