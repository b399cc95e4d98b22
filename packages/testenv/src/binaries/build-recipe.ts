/** What is built from Go modules and how: pure data, whose hash is part of the cache entry's name. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Platform } from './platform.ts';
import { kubernetesPrograms, type Program } from './program.ts';
import { corednsVersion, goVersionFor } from './version.ts';

/** One Go program, built from one module at one version. */
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
  /** The Go source of package main. */
  readonly main: string;
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
    '',
  ].join('\n\n');
}

/** The `go` line of a go.mod: the oldest Go that may build the module. */
export function goLine(goMod: string): string {
  return /^go (\S+)$/m.exec(goMod)?.[1] ?? '1.16';
}

function withEntry({ os, arch }: Platform, recipe: Omit<BuildRecipe, 'entry'>): BuildRecipe {
  // Only what shapes the result: a new title must not cost anybody a build.
  const { main, ldflags, output, programs } = recipe;
  const text = JSON.stringify({ main, ldflags, output, programs });
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
