/** Where the projects publish their programs: addresses and file names, and nothing that touches the network. */
import type { Platform } from './platform.ts';
import type { Program } from './program.ts';
import { corednsVersion, etcdVersion } from './version.ts';

/** One published file, and the program in it. */
export interface Release {
  readonly program: Program;
  /** The version that the program reports. */
  readonly version: string;
  /** The address that all files of this project begin with. */
  readonly site: string;
  readonly url: string;
  /** A text that holds the SHA-256 sum of the file. */
  readonly checksumUrl: string;
  readonly form: 'plain' | 'tgz' | 'zip';
  /** The path of the program inside an archive. */
  readonly member: string;
}

interface Project {
  readonly variable: string;
  readonly site: string;
  release(program: Program, kubernetes: string, platform: Platform): Omit<Release, 'program' | 'site'> | undefined;
}

const kubernetes: Project = {
  variable: 'KURATOR_KUBERNETES_URL',
  site: 'https://dl.k8s.io',
  release(program, version, { os, arch }) {
    // Of all its programs Kubernetes releases only kubectl for systems other than Linux.
    if (os !== 'linux' && program !== 'kubectl') return undefined;
    const url = `/release/v${version}/bin/${os}/${arch}/${program}`;
    return { version, url, checksumUrl: `${url}.sha256`, form: 'plain', member: program };
  },
};

const etcd: Project = {
  variable: 'KURATOR_ETCD_URL',
  site: 'https://github.com/etcd-io/etcd/releases/download',
  release(program, kubernetesVersion, { os, arch }) {
    const version = etcdVersion(kubernetesVersion);
    const name = `etcd-v${version}-${os}-${arch}`;
    const form = os === 'linux' ? 'tgz' : 'zip';
    const url = `/v${version}/${name}.${form === 'tgz' ? 'tar.gz' : 'zip'}`;
    return { version, url, checksumUrl: `/v${version}/SHA256SUMS`, form, member: `${name}/${program}` };
  },
};

const coredns: Project = {
  variable: 'KURATOR_COREDNS_URL',
  site: 'https://github.com/coredns/coredns/releases/download',
  release(program, _kubernetes, { os, arch }) {
    const version = corednsVersion;
    const url = `/v${version}/coredns_${version}_${os}_${arch}.tgz`;
    return { version, url, checksumUrl: `${url}.sha256`, form: 'tgz', member: program };
  },
};

const projects: Partial<Record<Program, Project>> = { etcd, coredns };

/**
 * The published file that holds a program; undefined where none is published for the platform. A mirror of the same
 * layout is named by `KURATOR_KUBERNETES_URL`, `KURATOR_ETCD_URL` and `KURATOR_COREDNS_URL`.
 */
export function releaseOf(
  program: Program,
  kubernetesVersion: string,
  platform: Platform,
  env: NodeJS.ProcessEnv,
): Release | undefined {
  const project = projects[program] ?? kubernetes;
  const release = project.release(program, kubernetesVersion, platform);
  if (!release) return undefined;
  const site = (env[project.variable] || project.site).replace(/\/+$/, '');
  return { ...release, program, site, url: site + release.url, checksumUrl: site + release.checksumUrl };
}

/** The sum of one file, out of a text that is a bare sum or has a line `SUM  FILE` for each of several files. */
export function findChecksum(text: string, file: string): string | undefined {
  const lines = text.split('\n').map((line) => /^([0-9a-f]{64})(?:\s+[*]?(\S+))?\s*$/i.exec(line.trim()));
  const found = lines.find((line) => line && (line[2] === undefined || line[2].split('/').at(-1) === file));
  return found?.[1]?.toLowerCase();
}
