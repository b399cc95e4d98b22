import { TestenvError } from '../error.ts';

/** A container image's name in its parts: `docker.io/library/web:v1` has host `docker.io`, repository `library/web`, tag `v1`. */
export interface ImageName {
  host: string;
  repository: string;
  tag: string;
}

const DEFAULT_HOST = 'docker.io';
const HOST =
  /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*(?::[0-9]+)?$|^\[[0-9a-fA-F:]+\](?::[0-9]+)?$/;
const COMPONENT = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const LONGEST_REPOSITORY = 255;

/**
 * Reads a name the way the kubelet and containerd do: `web:v1` in a pod is looked up as
 * `docker.io/library/web:v1`, `demo/web` as `docker.io/demo/web:latest`, and a first part with a dot, a
 * colon or `localhost` is a registry.
 */
export function parseImageName(name: string): ImageName {
  if (name.includes('@'))
    throw badName(name, 'it has a digest', 'Leave `@sha256:…` away: the content decides the digest.');
  const slash = name.indexOf('/');
  const first = name.slice(0, Math.max(slash, 0));
  const hasHost = slash >= 0 && (/[.:]/.test(first) || first === 'localhost');
  const rest = hasHost ? name.slice(slash + 1) : name;
  const colon = rest.lastIndexOf(':');
  const path = colon < 0 ? rest : rest.slice(0, colon);
  const tag = colon < 0 ? 'latest' : rest.slice(colon + 1);
  const host = hasHost ? first : DEFAULT_HOST;
  const repository = host === DEFAULT_HOST && !path.includes('/') ? `library/${path}` : path;
  check(name, { host, repository, tag }, path);
  return { host, repository, tag };
}

/** The full name, which is what containerd's image store is searched by. */
export function normalizeImageName(name: string): string {
  const { host, repository, tag } = parseImageName(name);
  return `${host}/${repository}:${tag}`;
}

function check(name: string, { host, repository, tag }: ImageName, path: string): void {
  if (!HOST.test(host)) throw badName(name, `"${host}" is not a registry's address`, 'Write it as host or host:port.');
  if (!TAG.test(tag)) {
    throw badName(
      name,
      `"${tag}" is not a tag`,
      'A tag has 1 to 128 letters, digits, `_`, `.` and `-`, and starts with none of the last two.',
    );
  }
  const wrong = path.split('/').find((component) => !COMPONENT.test(component));
  if (wrong !== undefined) {
    const what = wrong === '' ? 'a part of it is empty' : `"${wrong}" is not allowed in it`;
    throw badName(
      name,
      what,
      'Use lower-case letters, digits and single `.`, `_`, `-` or `/` between them: `demo/web:v1`.',
    );
  }
  if (host.length + 1 + repository.length > LONGEST_REPOSITORY) {
    throw badName(name, `it is longer than ${LONGEST_REPOSITORY} characters`, 'Choose a shorter one.');
  }
}

function badName(name: string, why: string, remedy: string): TestenvError {
  return new TestenvError('KUR_TESTENV_IMAGE_NAME', `"${name}" can't be an image's name: ${why}.`, { remedy });
}
