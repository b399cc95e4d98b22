/** What is built from Go modules and how: pure data, whose hash is part of the cache entry's name. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Platform } from './platform.ts';
import { cniPlugins, containerdPrograms, kubernetesPrograms, type Program } from './program.ts';
import { cniVersion, containerdVersion, corednsVersion, goVersionFor, runcVersion } from './version.ts';

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
  /** Packages that are programs, each built into a file of its own. */
  readonly commands?: readonly string[];
  /** Whether it needs a C compiler. */
  readonly cgo?: true;
  readonly ldflags: string;
  /** The file that is built, and the programs that it is under their own names. */
  readonly output: string;
  readonly programs: readonly Program[];
  /** The program that shows by its version that the build is good, and the version that it must report. */
  readonly witness: Program;
}

/** kube-apiserver, kubelet and the others with etcd and kubectl as one multi-call binary. */
export function kubernetesRecipe(version: string, platform: Platform): BuildRecipe {
  const [major, minor] = version.split('.');
  const stamp = 'k8s.io/component-base/version';
  return withEntry(platform, {
    title: `Kubernetes ${version}`,
    module: 'k8s.io/kubernetes',
    version,
    go: goVersionFor(version),
    main: mainSource('kubernetes'),
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

/** CoreDNS with the plugins of cluster DNS. */
export function corednsRecipe(platform: Platform): BuildRecipe {
  return withEntry(platform, {
    title: `CoreDNS ${corednsVersion}`,
    module: 'github.com/coredns/coredns',
    version: corednsVersion,
    go: '1.25.0',
    main: mainSource('coredns'),
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
      ldflags: `-s -w -X main.version=${runcVersion}`,
      output: 'runc',
      programs: ['runc'],
      witness: 'runc',
    },
  ];
  return platform.os === 'linux' ? runtimes.map((recipe) => withEntry(platform, recipe)) : [];
}

/**
 * The go.mod of the build. Kubernetes' own replaces its staging modules by folders that exist only in its repository;
 * each is published too, as v0 with the same minor and patch.
 */
export function goModFor(recipe: BuildRecipe, ownGoMod: string): string {
  const staging = [...ownGoMod.matchAll(/^\s*(?:replace\s+)?(\S+) => \.\/staging\/\S+$/gm)].map(([, module]) => module);
  const published = `v${recipe.version.replace(/^1\./, '0.')}`;
  return [
    `module kurator.dev/testenv/${recipe.output}`,
    `go ${goLine(ownGoMod)}`,
    `require ${recipe.module} v${recipe.version}`,
    ...staging.map((module) => `replace ${module} => ${module} ${published}`),
    ...(recipe.commands ?? []).map((command) => `tool ${command}`),
    '',
  ].join('\n\n');
}

/** The `go` line of a go.mod: the oldest Go that may build the module. */
export function goLine(goMod: string): string {
  return /^go (\S+)$/m.exec(goMod)?.[1] ?? '1.16';
}

function withEntry({ os, arch }: Platform, recipe: Omit<BuildRecipe, 'entry'>): BuildRecipe {
  // Only what shapes the result: a new title must not cost anybody a build.
  const { main, commands, cgo, ldflags, output, programs } = recipe;
  const text = JSON.stringify({ main, ldflags, output, programs, commands, cgo });
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return { ...recipe, entry: `${recipe.output}-${recipe.version}-${os}-${arch}-${hash}` };
}

function mainSource(name: string): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, 'go', name, 'main.go');
    if (existsSync(file)) return readFileSync(file, 'utf8');
  }
  throw new Error(`go/${name}/main.go is missing from this package`);
}
