import { ConfigMap, Deployment, Namespace, resourceType, Secret } from '@kurator/client';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rulesDiff } from './difference.ts';
import { grantsOfRules, grantsOfUsage, keyOf, withoutRepetition } from './grant.ts';
import { rolesFor, rulesFor, rulesWithout } from './rules.ts';
import { type Usage, verbsTo } from './usage.ts';

const MyApp = resourceType('example.com/v1', 'MyApp');
const StatefulSet = resourceType('apps/v1', 'StatefulSet');

describe('rulesFor', () => {
  it('allows what is done, and nothing else', () => {
    const rules = rulesFor([
      { type: MyApp, verbs: verbsTo.watch },
      { type: MyApp, verbs: ['patch'], subresources: ['status'] },
      { type: Deployment, verbs: verbsTo.own },
    ]);
    expect(rules).toEqual([
      { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
      { apiGroups: ['example.com'], resources: ['myapps'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['example.com'], resources: ['myapps/status'], verbs: ['patch'] },
    ]);
  });

  it('puts resources that are used alike into one rule', () => {
    const rules = rulesFor([
      { type: StatefulSet, verbs: ['list', 'get'] },
      { type: Deployment, verbs: ['get'] },
      { type: Deployment, verbs: ['list', 'get'] },
    ]);
    expect(rules).toEqual([
      { apiGroups: ['apps'], resources: ['deployments', 'statefulsets'], verbs: ['get', 'list'] },
    ]);
  });

  it('never lets two groups share a rule, which would allow what nobody asked for', () => {
    const rules = rulesFor([
      { type: Secret, verbs: ['get'] },
      { type: Deployment, verbs: ['get'] },
    ]);
    expect(rules.map(({ apiGroups }) => apiGroups)).toEqual([[''], ['apps']]);
  });

  it('limits to names, but for creating, where there is no name yet', () => {
    expect(rulesFor([{ type: Secret, verbs: ['get', 'create', 'patch'], names: ['tls', 'ca'] }])).toEqual([
      { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
      { apiGroups: [''], resources: ['secrets'], resourceNames: ['ca', 'tls'], verbs: ['get', 'patch'] },
    ]);
  });

  it('drops names where all are allowed anyway', () => {
    const rules = rulesFor([
      { type: Secret, verbs: ['get'], names: ['tls'] },
      { type: Secret, verbs: ['get'] },
    ]);
    expect(rules).toEqual([{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }]);
  });
});

describe('rolesFor', () => {
  it('makes a role in each namespace that usages are limited to; kinds of the cluster stay in the cluster role', () => {
    const roles = rolesFor('web', [
      { type: Deployment, verbs: ['get'] },
      { type: ConfigMap, verbs: ['get'], namespace: 'web' },
      { type: Namespace, verbs: ['get'], namespace: 'web' },
    ]);
    expect(
      roles.map(({ kind, metadata, rules }) => [kind, metadata.namespace, rules?.flatMap((rule) => rule.resources)]),
    ).toEqual([
      ['ClusterRole', undefined, ['namespaces', 'deployments']],
      ['Role', 'web', ['configmaps']],
    ]);
  });
});

describe('rulesDiff', () => {
  it('says what comes and what goes, by resource', () => {
    const before = rulesFor([
      { type: Secret, verbs: ['get', 'list', 'watch'] },
      { type: Deployment, verbs: ['get'] },
    ]);
    const after = rulesFor([
      { type: Secret, verbs: ['get'], names: ['tls'] },
      { type: Deployment, verbs: ['get', 'patch'] },
      { type: Deployment, verbs: ['patch'], subresources: ['status'] },
    ]);
    expect(rulesDiff(before, after)).toBe(
      '+ deployments.apps/status: patch\n+ deployments.apps: patch\n- secrets: get, list, watch\n',
    );
  });

  it('is silent where only the cut of the rules differs', () => {
    const cut = [
      { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
      { apiGroups: [''], resources: ['secrets'], verbs: ['list'] },
    ];
    expect(rulesDiff(cut, rulesFor([{ type: Secret, verbs: ['get', 'list'] }]))).toBe('');
  });
});

const usage: fc.Arbitrary<Usage> = fc.record(
  {
    type: fc.constantFrom(Secret, Deployment, StatefulSet, MyApp, Namespace),
    verbs: fc.subarray(['get', 'list', 'watch', 'create', 'patch', 'delete'] as const, { minLength: 1 }),
    subresources: fc.constantFrom(['status'], ['status', 'scale']),
    names: fc.subarray(['a', 'b', 'c'], { minLength: 1 }),
  },
  { requiredKeys: ['type', 'verbs'] },
);

describe('for any usages', () => {
  it('the rules allow exactly what the usages need', () => {
    fc.assert(
      fc.property(fc.array(usage, { maxLength: 8 }), (usages) => {
        const needed = withoutRepetition(usages.flatMap(grantsOfUsage)).map(keyOf);
        const allowed = grantsOfRules(rulesFor(usages)).map(keyOf);
        expect(allowed.toSorted()).toEqual(needed.toSorted());
      }),
    );
  });

  it('what is left of rules without others is what only they allow', () => {
    const usages = fc.array(usage, { maxLength: 4 });
    fc.assert(
      fc.property(usages, usages, (kept, taken) => {
        const all = grantsOfRules(rulesFor([...kept, ...taken])).map(keyOf);
        const gone = new Set(grantsOfRules(rulesFor(taken)).map(keyOf));
        const left = grantsOfRules(rulesWithout(rulesFor([...kept, ...taken]), rulesFor(taken))).map(keyOf);
        expect(left.toSorted()).toEqual(all.filter((key) => !gone.has(key)).toSorted());
      }),
    );
  });

  it('their order makes no difference', () => {
    fc.assert(
      fc.property(fc.array(usage, { maxLength: 8 }), (usages) => {
        expect(rulesFor(usages.toReversed())).toEqual(rulesFor(usages));
      }),
    );
  });
});
