/** Names of container images: read as the kubelet and containerd do, and printed. Pure. */
import { DIGEST } from './blob.ts';
import { RegistryError } from './error.ts';

/** A repository's place: `docker.io/library/web` has host `docker.io` and repository `library/web`. */
export interface RepositoryName {
  /** The registry, as names begin with it: host or host:port. */
  readonly host: string;
  readonly repository: string;
}

/** A container image's name in its parts. It has a tag, a digest, or both: then the digest decides, and the tag is a comment. */
export interface ImageName extends RepositoryName {
  /** `latest` where a name has neither tag nor digest. */
  readonly tag?: string;
  /** `sha256:…` */
  readonly digest?: string;
}

const DEFAULT_HOST = 'docker.io';
/** Docker Hub under a name of long ago. */
const OLD_DEFAULT_HOST = 'index.docker.io';
const DEFAULT_NAMESPACE = 'library/';
const DEFAULT_TAG = 'latest';
const HOST =
  /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*(?::[0-9]+)?$|^\[[0-9a-fA-F:]+\](?::[0-9]+)?$/;
const COMPONENT = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const LONGEST_REPOSITORY = 255;
/** Longer than any name can be; the patterns never see more. */
const LONGEST_NAME = LONGEST_REPOSITORY + 1 + 128 + 1 + 'sha512:'.length + 128;

/**
 * Reads a name the way the kubelet and containerd do: `web:v1` in a pod is looked up as
 * `docker.io/library/web:v1`, `demo/web` as `docker.io/demo/web:latest`, and a first part with a dot, a
 * colon or `localhost` is a registry. `web:v1@sha256:…` has both a tag and a digest.
 *
 * @throws RegistryError `KUR_REGISTRY_NAME`, and nothing else, for any text that is no name.
 */
export function parseImageName(name: string): ImageName {
  if (name.length > LONGEST_NAME) throw badName(`${name.slice(0, 60)}…`, 'it is far too long', 'Choose a shorter one.');
  const at = name.indexOf('@');
  const digest = at < 0 ? undefined : name.slice(at + 1);
  const { host, path, tag } = split(at < 0 ? name : name.slice(0, at));
  const repository = host === DEFAULT_HOST && !path.includes('/') ? `${DEFAULT_NAMESPACE}${path}` : path;
  check(name, { host, repository }, path);
  if (tag !== undefined && !TAG.test(tag)) throw badTag(name, tag);
  if (digest !== undefined && !DIGEST.test(digest)) throw badDigest(name, digest);
  const named = tag ?? (digest === undefined ? DEFAULT_TAG : undefined);
  return {
    host,
    repository,
    ...(named === undefined ? {} : { tag: named }),
    ...(digest === undefined ? {} : { digest }),
  };
}

/** The full name, which is what containerd's image store is searched by: `docker.io/library/web:v1@sha256:…`. */
export function formatImageName({ host, repository, tag, digest }: ImageName): string {
  return `${host}/${repository}${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`;
}

/** The full name of a name: `docker.io/library/web:latest` for `web`. */
export function normalizeImageName(name: string): string {
  return formatImageName(parseImageName(name));
}

/** What a registry is asked for: the digest where there is one, else the tag. */
export function referenceOf({ tag, digest }: Pick<ImageName, 'tag' | 'digest'>): string {
  return digest ?? tag ?? DEFAULT_TAG;
}

function split(name: string): { host: string; path: string; tag: string | undefined } {
  const slash = name.indexOf('/');
  const first = name.slice(0, Math.max(slash, 0));
  const hasHost = slash >= 0 && (/[.:]/.test(first) || first === 'localhost');
  const rest = hasHost ? name.slice(slash + 1) : name;
  const colon = rest.lastIndexOf(':');
  return {
    host: hasHost && first !== OLD_DEFAULT_HOST ? first : DEFAULT_HOST,
    path: colon < 0 ? rest : rest.slice(0, colon),
    tag: colon < 0 ? undefined : rest.slice(colon + 1),
  };
}

function check(name: string, { host, repository }: RepositoryName, path: string): void {
  if (!HOST.test(host)) throw badName(name, `"${host}" is not a registry's address`, 'Write it as host or host:port.');
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

function badTag(name: string, tag: string): RegistryError {
  return badName(
    name,
    `"${tag}" is not a tag`,
    'A tag has 1 to 128 letters, digits, `_`, `.` and `-`, and starts with none of the last two.',
  );
}

function badDigest(name: string, digest: string): RegistryError {
  return badName(name, `"${digest}" is not a digest`, 'Write `@sha256:` and 64 lower-case hexadecimal digits.');
}

function badName(name: string, why: string, remedy: string): RegistryError {
  return new RegistryError('KUR_REGISTRY_NAME', `"${name}" can't be an image's name: ${why}.`, { remedy });
}

/** Refuses a repository's name that did not come from {@link parseImageName} and would not have. */
export function checkRepositoryName(name: RepositoryName): void {
  check(`${name.host}/${name.repository}`, name, name.repository);
}

/** Refuses what is neither a tag nor a digest: it becomes a part of an address. */
export function checkReference(reference: string, { host, repository }: RepositoryName): void {
  if (TAG.test(reference) || DIGEST.test(reference)) return;
  const name = `${host}/${repository}:${reference.slice(0, 140)}`;
  throw badName(name, `"${reference.slice(0, 140)}" is neither a tag nor a digest`, 'Give `v1` or `sha256:…`.');
}
