import { describe, expect, it } from 'vitest';
import { type BuildRecipe, corednsRecipe, goLine, goModFor, kubernetesRecipe, runtimeRecipes } from './build-recipe.ts';

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
