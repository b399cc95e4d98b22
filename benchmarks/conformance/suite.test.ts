import { describe, expect, it } from 'vitest';
import { suiteGoMod } from './suite.ts';

describe('the go.mod of the suite', () => {
  it("takes Kubernetes' staging modules as they are published", () => {
    const own = `module k8s.io/kubernetes
go 1.26.0
require k8s.io/api v0.0.0
replace (
	k8s.io/api => ./staging/src/k8s.io/api
	k8s.io/sample-apiserver => ./staging/src/k8s.io/sample-apiserver
	example.com/other => example.com/fork v1.0.0
)
`;
    const text = suiteGoMod('1.36.3', own);
    expect(text).toContain('\ngo 1.26.0\n');
    expect(text).toContain('require k8s.io/kubernetes v1.36.3\n');
    expect(text).toContain('replace k8s.io/sample-apiserver => k8s.io/sample-apiserver v0.36.3\n');
    expect(text).not.toContain('example.com');
  });
});
