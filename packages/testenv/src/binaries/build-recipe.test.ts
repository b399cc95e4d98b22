import { describe, expect, it } from 'vitest';
import {
  type BuildRecipe,
  corednsRecipe,
  goLine,
  goModFor,
  kubernetesRecipe,
  lifted,
  programsOf,
  runtimeRecipes,
} from './build-recipe.ts';

const platform = { os: 'linux', arch: 'amd64' } as const;
const ownGoMod = `module k8s.io/kubernetes

go 1.26.0

godebug default=go1.26

require (
	k8s.io/api v0.0.0
	github.com/google/go-cmp v0.7.0
)

replace (
	github.com/example/other => github.com/example/fork v1.0.0
	k8s.io/api => ./staging/src/k8s.io/api
	k8s.io/kubectl => ./staging/src/k8s.io/kubectl
)
`;

describe('goModFor', () => {
  it('pins every staging module to its published version, and no other', () => {
    const replaces = goModFor(kubernetesRecipe('1.36.3', platform), ownGoMod).match(/^replace .*$/gm);
    expect(replaces).toEqual([
      'replace k8s.io/api => k8s.io/api v0.36.3',
      'replace k8s.io/kubectl => k8s.io/kubectl v0.36.3',
    ]);
  });

  it("names a module's own programs as what is to be built", () => {
    const [containerd] = runtimeRecipes(platform);
    const text = goModFor(containerd as BuildRecipe, 'go 1.26.0\n');
    expect(text).toContain('require github.com/containerd/containerd/v2 v2.4.2');
    expect(text.match(/^tool .*$/gm)).toHaveLength(3);
  });

  it("takes the go line from the module's own go.mod", () => {
    expect(goLine(ownGoMod)).toBe('1.26.0');
    expect(goModFor(kubernetesRecipe('1.36.3', platform), ownGoMod)).toContain('\ngo 1.26.0\n');
  });
});

describe('CoreDNS', () => {
  const recipe = kubernetesRecipe('1.36.3', platform);

  it('is part of the default version, and of no other, which nobody has tried', () => {
    expect(programsOf(recipe)).toContain('coredns');
    expect(programsOf(kubernetesRecipe('1.35.4', platform))).not.toContain('coredns');
  });

  it('has the same plugins there as by itself', () => {
    const plugins = (source = '') => [
      ...(source.match(/"github.com.*"/g) ?? []),
      ...(source.match(/string\{.*\}/) ?? []),
    ];
    expect(plugins(recipe.guest?.source)).toEqual(plugins(corednsRecipe(platform).main));
    expect(plugins(recipe.guest?.source).length).toBeGreaterThan(8);
  });

  it('lifts no module beyond what Kubernetes was made with', () => {
    const graph = `kurator.dev/testenv k8s.io/kubernetes@v1.36.3
k8s.io/kubernetes@v1.36.3 k8s.io/api@v0.0.0
k8s.io/kubernetes@v1.36.3 github.com/google/go-cmp@v0.7.0
github.com/coredns/coredns@v1.15.0 github.com/google/go-cmp@v0.6.0
github.com/coredns/coredns@v1.15.0 github.com/google/go-cmp@v0.10.1
github.com/coredns/coredns@v1.15.0 k8s.io/api@v0.37.1
github.com/coredns/coredns@v1.15.0 github.com/miekg/dns@v1.1.73
`;
    const newer = lifted(recipe, ownGoMod, graph);
    expect(newer).toEqual(['github.com/google/go-cmp v0.10.1', 'k8s.io/api v0.37.1']);
    expect(goModFor(recipe, ownGoMod, newer)).toContain('\nexclude k8s.io/api v0.37.1\n');
  });

  it.each([
    ['v0.0.0-20260101000000-aaaaaaaaaaaa', 'v0.0.0-20250101000000-ffffffffffff', true],
    ['v0.0.0-20240101000000-ffffffffffff', 'v0.0.0-20250101000000-aaaaaaaaaaaa', false],
    ['v1.2.0-rc.1', 'v1.2.0', false],
    ['v1.2.0', 'v1.2.0-rc.1', true],
    ['v1.2.0', 'v1.2.0', false],
  ])('knows whether %s is newer than %s: %s', (asked, own, isNewer) => {
    const goMod = `require example.org/a ${own}\n`;
    expect(lifted(recipe, goMod, `a@v1.0.0 example.org/a@${asked}\n`)).toHaveLength(isNewer ? 1 : 0);
  });
});

describe('the entry of a recipe', () => {
  it('differs by version and platform', () => {
    const entries = [
      kubernetesRecipe('1.36.3', platform),
      kubernetesRecipe('1.35.4', platform),
      kubernetesRecipe('1.36.3', { os: 'linux', arch: 'arm64' }),
      corednsRecipe(platform),
    ].map(({ entry }) => entry);
    expect(new Set(entries).size).toBe(4);
    expect(entries[0]).toMatch(/^kubernetes-1\.36\.3-linux-amd64-[0-9a-f]{12}$/);
  });

  it('stamps the version into the programs', () => {
    expect(kubernetesRecipe('1.36.3', platform).ldflags).toContain('version.gitVersion=v1.36.3');
  });
});
