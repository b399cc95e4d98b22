/** Where the projects publish their programs: addresses and file names, and nothing that touches the network. */
import type { Platform } from './platform.ts';
import { cniPlugins, containerdPrograms, etcdPrograms, kubernetesPrograms, type Program } from './program.ts';
import { cniVersion, containerdVersion, corednsVersion, etcdVersion, runcVersion } from './version.ts';

/** One published file, and the programs in it. */
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
  /** Other programs of the same archive that are wanted with it, by their paths there. */
  readonly also?: Readonly<Partial<Record<Program, string>>>;
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
  release: (program, kubernetesVersion, platform) => etcdFile(program, etcdVersion(kubernetesVersion), platform),
};

function etcdFile(program: Program, version: string, { os, arch }: Platform) {
  const name = `etcd-v${version}-${os}-${arch}`;
  const form = os === 'linux' ? ('tgz' as const) : ('zip' as const);
  const url = `/v${version}/${name}.${form === 'tgz' ? 'tar.gz' : 'zip'}`;
  return { version, url, checksumUrl: `/v${version}/SHA256SUMS`, form, member: `${name}/${program}` };
}

const coredns: Project = {
  variable: 'KURATOR_COREDNS_URL',
  site: 'https://github.com/coredns/coredns/releases/download',
  release(program, _kubernetes, { os, arch }) {
    const version = corednsVersion;
    const url = `/v${version}/coredns_${version}_${os}_${arch}.tgz`;
    return { version, url, checksumUrl: `${url}.sha256`, form: 'tgz', member: program };
  },
};

const containerd: Project = {
  variable: 'KURATOR_CONTAINERD_URL',
  site: 'https://github.com/containerd/containerd/releases/download',
  release(_program, _kubernetes, { os, arch }) {
    if (os !== 'linux') return undefined;
    const version = containerdVersion;
    // The one that needs no library of the machine: the other would not run on Alpine.
    const url = `/v${version}/containerd-static-${version}-${os}-${arch}.tar.gz`;
    const [first, ...others] = containerdPrograms.map((program) => [program, `bin/${program}`] as const);
    const also = Object.fromEntries(others);
    return { version, url, checksumUrl: `${url}.sha256sum`, form: 'tgz', member: first?.[1] ?? '', also };
  },
};

const runc: Project = {
  variable: 'KURATOR_RUNC_URL',
  site: 'https://github.com/opencontainers/runc/releases/download',
  release(program, _kubernetes, { os, arch }) {
    if (os !== 'linux') return undefined;
    const version = runcVersion;
    const checksumUrl = `/v${version}/runc.sha256sum`;
    return { version, url: `/v${version}/runc.${arch}`, checksumUrl, form: 'plain', member: program };
  },
};

const cni: Project = {
  variable: 'KURATOR_CNI_URL',
  site: 'https://github.com/containernetworking/plugins/releases/download',
  release(program, _kubernetes, { os, arch }) {
    if (os !== 'linux') return undefined;
    const version = cniVersion;
    const url = `/v${version}/cni-plugins-${os}-${arch}-v${version}.tgz`;
    const also = Object.fromEntries(cniPlugins.slice(1).map((plugin) => [plugin, plugin]));
    return { version, url, checksumUrl: `${url}.sha256`, form: 'tgz', member: program, also };
  },
};

const projects: Partial<Record<Program, Project>> = { etcd, coredns, containerd, runc, [cniPlugins[0]]: cni };

/** The first program of each published file that holds any. */
export const releasedFirst: readonly Program[] = [
  ...kubernetesPrograms,
  'coredns',
  containerdPrograms[0],
  'runc',
  cniPlugins[0],
];

/**
 * The published file that holds a program; undefined where none is published for the platform. A mirror of the same
 * layout is named by `KURATOR_KUBERNETES_URL`, `KURATOR_ETCD_URL`, `KURATOR_COREDNS_URL`, `KURATOR_CONTAINERD_URL`,
 * `KURATOR_RUNC_URL` and `KURATOR_CNI_URL`.
 */
export function releaseOf(
  program: Program,
  kubernetesVersion: string,
  platform: Platform,
  env: NodeJS.ProcessEnv,
): Release | undefined {
  const project = projects[program] ?? kubernetes;
  const release = project.release(program, kubernetesVersion, platform);
  return release && at(project, { ...release, program }, env);
}

/** A version of etcd with its tools, whatever Kubernetes is made with. */
export function etcdReleaseOf(version: string, platform: Platform, env: NodeJS.ProcessEnv): Release {
  const [program, ...tools] = etcdPrograms;
  const also = Object.fromEntries(tools.map((tool) => [tool, etcdFile(tool, version, platform).member]));
  return at(etcd, { ...etcdFile(program, version, platform), program, also }, env);
}

function at(project: Project, release: Omit<Release, 'site'>, env: NodeJS.ProcessEnv): Release {
  const site = (env[project.variable] || project.site).replace(/\/+$/, '');
  return { ...release, site, url: site + release.url, checksumUrl: site + release.checksumUrl };
}

/** The sum of one file, out of a text that is a bare sum or has a line `SUM  FILE` for each of several files. */
export function findChecksum(text: string, file: string): string | undefined {
  const lines = text.split('\n').map((line) => /^([0-9a-f]{64})(?:\s+[*]?(\S+))?\s*$/i.exec(line.trim()));
  const found = lines.find((line) => line && (line[2] === undefined || line[2].split('/').at(-1) === file));
  return found?.[1]?.toLowerCase();
}
