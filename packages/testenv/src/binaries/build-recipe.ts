/** What is built from Go modules and how: pure data, whose hash is part of the cache entry's name. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Platform } from './platform.ts';
import { cniPlugins, containerdPrograms, etcdPrograms, kubernetesPrograms, type Program } from './program.ts';
import {
  cniVersion,
  compareVersions,
  containerdVersion,
  corednsVersion,
  defaultVersion,
  goVersionFor,
  runcVersion,
} from './version.ts';

/** Go programs, built from one module at one version. */
export interface BuildRecipe {
  /** In words for a person: `Kubernetes 1.36.3`. */
  readonly title: string;
  /** The cache entry's name. */
  readonly entry: string;
  /** The module that is required, and its version without a `v`. */
  readonly module: string;
  readonly version: string;
  /** The oldest Go that is worth trying; the module's own `go` line has the last word. */
  readonly go: string;
  /** The Go source of package main: one file that is all programs. Undefined where the module has its own. */
  readonly main?: string;
  /** Another module that is built in: it gets the modules of the first in the versions that the first wants. */
  readonly guest?: Guest;
  /** Packages that are programs, each built into a file of its own. */
  readonly commands?: readonly string[];
  /** Other modules that commands are of, in the same version. */
  readonly siblings?: readonly string[];
  /** Programs whose package has another name: theirs by the package's. */
  readonly renamed?: Readonly<Record<string, Program>>;
  /** Whether it needs a C compiler. */
  readonly cgo?: true;
  /** Build tags, and what these need of the machine, in words for a person. */
  readonly tags?: string;
  readonly needs?: string;
  readonly ldflags: string;
  /** The file that is built, and the programs that it is under their own names. */
  readonly output: string;
  readonly programs: readonly Program[];
  /** The program that shows by its version that the build is good, and the version that it must report. */
  readonly witness: Program;
}

/** A module that joins a build, and the file of package main that brings it in. */
export interface Guest {
  readonly module: string;
  readonly version: string;
  readonly source: string;
  /** The programs that it adds. */
  readonly programs: readonly Program[];
}

/** All that a build gives. */
export function programsOf({ programs, guest }: BuildRecipe): readonly Program[] {
  return [...programs, ...(guest?.programs ?? [])];
}

const coredns = 'github.com/coredns/coredns';

/**
 * kube-apiserver, kubelet and the others with etcd and kubectl as one multi-call binary. The default version has CoreDNS in it,
 * most of which it is made of anyway; with other versions that was not tried, and the CoreDNS of the default one serves them.
 */
export function kubernetesRecipe(version: string, platform: Platform): BuildRecipe {
  const [major, minor] = version.split('.');
  const stamp = 'k8s.io/component-base/version';
  return withEntry(platform, {
    title: `Kubernetes ${version}`,
    module: 'k8s.io/kubernetes',
    version,
    go: goVersionFor(version),
    main: goSource('kubernetes/main.go'),
    ...(version === defaultVersion
      ? {
          guest: {
            module: coredns,
            version: corednsVersion,
            source: goSource('kubernetes/coredns.go'),
            programs: ['coredns'],
          },
        }
      : {}),
    // Without its version stamped in, the API server calls itself v0.0.0.
    ldflags: [
      '-s -w',
      `-X ${stamp}.gitVersion=v${version}`,
      `-X ${stamp}.gitMajor=${major}`,
      `-X ${stamp}.gitMinor=${minor}`,
      `-X ${stamp}.gitTreeState=clean`,
    ].join(' '),
    output: 'kubernetes',
    programs: kubernetesPrograms,
    witness: 'kube-apiserver',
  });
}

/** CoreDNS with the plugins of cluster DNS, by itself: for whoever has the rest from elsewhere. */
export function corednsRecipe(platform: Platform): BuildRecipe {
  return withEntry(platform, {
    title: `CoreDNS ${corednsVersion}`,
    module: coredns,
    version: corednsVersion,
    go: '1.25.0',
    main: goSource('coredns/main.go'),
    ldflags: '-s -w',
    output: 'coredns',
    programs: ['coredns'],
    witness: 'coredns',
  });
}

/** What nodes run containers with: each project's own programs. Only runc has C in it, which runs before Go does. */
export function runtimeRecipes(platform: Platform): BuildRecipe[] {
  const [containerd, cni] = ['github.com/containerd/containerd/v2', 'github.com/containernetworking/plugins'];
  const folders = { ptp: 'main', 'host-local': 'ipam', portmap: 'meta', loopback: 'main' } as const;
  const runtimes: Omit<BuildRecipe, 'entry'>[] = [
    {
      title: `containerd ${containerdVersion}`,
      module: containerd,
      version: containerdVersion,
      go: '1.26.0',
      commands: containerdPrograms.map((program) => `${containerd}/cmd/${program}`),
      ldflags: `-s -w -X ${containerd}/version.Version=${containerdVersion}`,
      output: 'containerd',
      programs: containerdPrograms,
      witness: 'containerd',
    },
    {
      title: `CNI plugins ${cniVersion}`,
      module: cni,
      version: cniVersion,
      go: '1.24.0',
      commands: cniPlugins.map((plugin) => `${cni}/plugins/${folders[plugin]}/${plugin}`),
      ldflags: `-s -w -X ${cni}/pkg/utils/buildversion.BuildVersion=v${cniVersion}`,
      output: 'cni-plugins',
      programs: cniPlugins,
      witness: 'ptp',
    },
    {
      title: `runc ${runcVersion}`,
      module: 'github.com/opencontainers/runc',
      version: runcVersion,
      go: '1.25.0',
      commands: ['github.com/opencontainers/runc'],
      cgo: true,
      // Every pod's sandbox has the runtime's profile: a runc without seccomp could start none.
      tags: 'seccomp',
      needs: 'a C compiler, pkg-config and the headers of libseccomp (in Debian: gcc, pkg-config, libseccomp-dev)',
      ldflags: `-s -w -X main.version=${runcVersion}`,
      output: 'runc',
      programs: ['runc'],
      witness: 'runc',
    },
  ];
  return platform.os === 'linux' ? runtimes.map((recipe) => withEntry(platform, recipe)) : [];
}

/** etcd by itself with its tools, as its own releases have them: any version, for one is upgraded to another. */
export function etcdRecipe(version: string, platform: Platform): BuildRecipe {
  const [server, ...tools] = ['server', 'etcdctl', 'etcdutl'].map((name) => `go.etcd.io/etcd/${name}/v3`);
  return withEntry(platform, {
    title: `etcd ${version}`,
    module: server ?? '',
    version,
    go: '1.24.0',
    siblings: tools,
    commands: [server ?? '', ...tools],
    renamed: { server: 'etcd' },
    ldflags: '-s -w',
    output: 'etcd',
    programs: etcdPrograms,
    witness: 'etcd',
  });
}

/** A module at a version, as go.mod names it: `golang.org/x/net v0.60.0`. */
type ModuleVersion = string;

/**
 * The go.mod of the build. Kubernetes' own replaces its staging modules by folders that exist only in its repository;
 * each is published too, as v0 with the same minor and patch.
 */
export function goModFor(recipe: BuildRecipe, ownGoMod: string, excluded: readonly ModuleVersion[] = []): string {
  const { guest, siblings = [] } = recipe;
  return [
    `module kurator.dev/testenv/${recipe.output}`,
    `go ${goLine(ownGoMod)}`,
    ...[recipe.module, ...siblings].map((module) => `require ${module} v${recipe.version}`),
    ...(guest ? [`require ${guest.module} v${guest.version}`] : []),
    ...stagingModules(ownGoMod).map((module) => `replace ${module} => ${module} ${publishedAs(recipe)}`),
    ...excluded.map((module) => `exclude ${module}`),
    ...(recipe.commands ?? []).map((command) => `tool ${command}`),
    '',
  ].join('\n\n');
}

/**
 * What in the graph of modules (`go mod graph`) is newer than the recipe's own module wants it. Go would build everything with the
 * newest that anybody asks for, and etcd 3.6 does not compile with the modules of 3.7, which CoreDNS asks for and needs nothing
 * of. Excluded, a request for them counts as not made.
 */
export function lifted(recipe: BuildRecipe, ownGoMod: string, graph: string): ModuleVersion[] {
  const required = [...ownGoMod.matchAll(/^\s*(?:require\s+)?([\w.-]+\.\w+\/\S+) (v\S+)/gm)];
  const own = new Map(required.map(([, module, version]) => [module, version]));
  for (const module of stagingModules(ownGoMod)) own.set(module, publishedAs(recipe));
  const asked = [...graph.matchAll(/^\S+ (\S+)@(v\S+)$/gm)];
  const newer = asked.filter(([, module, version = '']) => isNewer(version, own.get(module) ?? version));
  return [...new Set(newer.map(([, module, version]) => `${module} ${version}`))].sort();
}

function isNewer(version: string, than: string): boolean {
  // What follows the numbers is older than nothing; in a pseudo-version it begins with the date.
  const rest = (text: string) => text.replace(/\+.*/, '').split('-').slice(1).join('-') || '~';
  return (compareVersions(version, than) || (rest(version) > rest(than) ? 1 : -1)) > 0;
}

function stagingModules(ownGoMod: string): string[] {
  return [...ownGoMod.matchAll(/^\s*(?:replace\s+)?(\S+) => \.\/staging\/\S+$/gm)].map(([, module = '']) => module);
}

function publishedAs({ version }: BuildRecipe): string {
  return `v${version.replace(/^1\./, '0.')}`;
}

/** The `go` line of a go.mod: the oldest Go that may build the module. */
export function goLine(goMod: string): string {
  return /^go (\S+)$/m.exec(goMod)?.[1] ?? '1.16';
}

function withEntry({ os, arch }: Platform, recipe: Omit<BuildRecipe, 'entry'>): BuildRecipe {
  // Only what shapes the result: a new title must not cost anybody a build.
  const { main, guest, commands, cgo, tags, ldflags, output, programs } = recipe;
  const text = JSON.stringify({ main, ldflags, output, programs, commands, cgo, guest, tags });
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return { ...recipe, entry: `${recipe.output}-${recipe.version}-${os}-${arch}-${hash}` };
}

function goSource(path: string): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, 'go', path);
    if (existsSync(file)) return readFileSync(file, 'utf8');
  }
  throw new Error(`go/${path} is missing from this package`);
}
