import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { errorFromStatus } from './error.ts';
import { describeRule, missingRule } from './missing-rule.ts';

describe('a missing permission', () => {
  it.each([
    [
      'in a namespace',
      'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "team"',
      { rule: { verbs: ['list'], apiGroups: [''], resources: ['pods'] }, namespace: 'team' },
    ],
    [
      'in the whole cluster',
      'nodes "n1" is forbidden: User "jane" cannot patch resource "nodes/status" in API group "" at the cluster scope',
      { rule: { verbs: ['patch'], apiGroups: [''], resources: ['nodes/status'] } },
    ],
    [
      'on a path',
      'forbidden: User "jane" cannot get path "/metrics"',
      { rule: { verbs: ['get'], nonResourceURLs: ['/metrics'] } },
    ],
    ['that is another reason', 'pods "web" is forbidden: exceeded quota: small', undefined],
  ])('%s', (_, message, expected) => {
    expect(missingRule(message)).toEqual(expected);
  });

  it('is described by YAML that can be copied', () => {
    const rule = { verbs: ['list'], apiGroups: ['apps'], resources: ['deployments'] };
    const text = describeRule({ rule, namespace: 'team' });
    expect(text).toContain('a Role in the namespace "team"');
    expect(parse(text.slice(text.indexOf('{')))).toEqual(rule);
  });

  it('is in the error', () => {
    const message =
      'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "team"';
    const error = errorFromStatus(
      'list pods in team',
      { kind: 'Status', code: 403, reason: 'Forbidden', message },
      403,
    );
    expect(error.missingRule).toEqual({
      rule: { verbs: ['list'], apiGroups: [''], resources: ['pods'] },
      namespace: 'team',
    });
    expect(error.message).toMatch(
      /^list pods in team: pods is forbidden.*; this rule in a Role in the namespace "team"/,
    );
  });
});
