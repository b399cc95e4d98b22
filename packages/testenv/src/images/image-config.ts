/** What an image says about the containers made from it, and how that becomes the OCI configuration. */
import { machinePlatform, type OciConfig, type OciRuntimeConfig, type Platform } from '@kurator/registry';
import { TestenvError } from '../error.ts';
import { IMAGE_TIME } from './internal/oci.ts';

/** What an image is called, and how containers made from it start. */
export interface ImageConfig {
  /**
   * As a pod would write it: `web:v1`, `demo/web:v1`, `registry.example.com:5000/demo/web:v1`. Without a tag it is
   * `latest`, which the kubelet pulls again for every pod unless that sets `imagePullPolicy: IfNotPresent`.
   */
  name: string;
  /** The program and its first arguments; a pod's `command` replaces it. Setting it drops the base image's `command`. */
  entrypoint?: readonly string[];
  /** Arguments after the entrypoint; a pod's `args` replaces them. */
  command?: readonly string[];
  /** Added to the base image's variables. `PATH` has the usual folders unless told. */
  env?: Readonly<Record<string, string>>;
  /**
   * `uid`, `uid:gid` or a name of the image's /etc/passwd. Default: root. The kubelet looks at the first part only, and
   * for `runAsNonRoot` it has to be a number; a pod sets the group by `runAsGroup`.
   */
  user?: string;
  /** Absolute. Default: `/`. */
  workdir?: string;
  /** TCP ports, for the reader's information only: Kubernetes does not look at them. */
  ports?: readonly number[];
  labels?: Readonly<Record<string, string>>;
}

const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Refuses what containerd or runc would only refuse when the container starts. */
export function checkImageConfig(config: ImageConfig): void {
  const { entrypoint, command, env = {}, user, workdir, ports = [] } = config;
  if (entrypoint?.[0] === '' || entrypoint?.length === 0) {
    throw bad('entrypoint', 'is empty', 'Name a program, or leave it out.');
  }
  checkWords('entrypoint', entrypoint ?? []);
  checkWords('command', command ?? []);
  checkEnv(env);
  if (user !== undefined && !/^[^:\s]+(?::[^:\s]+)?$/.test(user)) {
    throw bad('user', `is "${user}"`, 'Write uid, uid:gid, or a name.');
  }
  if (workdir !== undefined && !workdir.startsWith('/')) {
    throw bad('workdir', `is "${workdir}"`, 'Give an absolute path.');
  }
  const port = ports.find((each) => !Number.isInteger(each) || each < 1 || each > 65535);
  if (port !== undefined) throw bad('ports', `has ${port}`, 'Ports go from 1 to 65535.');
}

function checkWords(field: string, words: readonly unknown[]): void {
  if (words.every(isText)) return;
  throw bad(field, 'holds something that is not text', 'Give a list of strings.');
}

function checkEnv(env: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(env)) {
    if (name === '' || name.includes('=') || !isText(name)) {
      throw bad('env', `has a variable called "${name}"`, 'Names are not empty and have no `=`.');
    }
    if (!isText(value)) throw bad(`env.${name}`, 'is not text', 'Give a string.');
  }
}

/** Strings as the kernel takes them. */
function isText(value: unknown): boolean {
  return typeof value === 'string' && !value.includes('\0');
}

/** The configuration of an image whose layers are the base's and then `diffIds`. What it runs on, the base says; else `platform`. */
export function ociConfig(
  config: ImageConfig,
  diffIds: readonly string[],
  base?: OciConfig,
  platform: Platform = machinePlatform(),
): OciConfig {
  const { os, architecture, variant } = base ?? platform;
  const created = IMAGE_TIME.toISOString();
  const history = diffIds.map(() => ({ created, created_by: 'kurator' }));
  return {
    created,
    architecture,
    os,
    ...(variant === undefined ? {} : { variant }),
    config: runtimeConfig(config, base?.config ?? {}),
    rootfs: { type: 'layers', diff_ids: [...(base?.rootfs.diff_ids ?? []), ...diffIds] },
    history: [...(base?.history ?? []), ...history],
  };
}

function runtimeConfig(config: ImageConfig, base: OciRuntimeConfig): OciRuntimeConfig {
  const entrypoint = config.entrypoint ?? base.Entrypoint;
  const command = config.command ?? (config.entrypoint ? undefined : base.Cmd);
  const user = config.user ?? base.User;
  const ports = [...Object.keys(base.ExposedPorts ?? {}), ...(config.ports ?? []).map((port) => `${port}/tcp`)];
  const labels = Object.entries({ ...base.Labels, ...config.labels });
  return {
    ...(user ? { User: user } : {}),
    ...(ports.length > 0
      ? { ExposedPorts: Object.fromEntries([...new Set(ports)].sort().map((port) => [port, {}])) }
      : {}),
    Env: mergedEnv(base.Env ?? [], config.env ?? {}),
    ...(entrypoint ? { Entrypoint: [...entrypoint] } : {}),
    ...(command ? { Cmd: [...command] } : {}),
    WorkingDir: config.workdir ?? (base.WorkingDir || '/'),
    ...(labels.length > 0 ? { Labels: Object.fromEntries(labels.sort(([a], [b]) => (a < b ? -1 : 1))) } : {}),
  };
}

function mergedEnv(base: readonly string[], own: Readonly<Record<string, string>>): string[] {
  const variables = new Map([['PATH', DEFAULT_PATH]]);
  for (const variable of base) {
    const equals = variable.indexOf('=');
    variables.set(variable.slice(0, equals), variable.slice(equals + 1));
  }
  for (const name of Object.keys(own).sort()) variables.set(name, own[name] as string);
  return [...variables].map(([name, value]) => `${name}=${value}`);
}

function bad(field: string, what: string, remedy: string): TestenvError {
  return new TestenvError('KUR_TESTENV_IMAGE_CONFIG', `The image's \`${field}\` ${what}.`, { remedy });
}
