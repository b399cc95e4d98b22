import type { PolicyRule } from '@kurator/client';
import { describe, expect, it } from 'vitest';
import { operatorTemplates } from './operator-templates.ts';

const rule = (resource: string, verbs = ['get']): PolicyRule => ({ apiGroups: [''], resources: [resource], verbs });
const operator = {
  facts: {
    name: 'web',
    crds: [],
    permissions: { namespaced: [rule('pods'), rule('services', ['get', 'delete'])], cluster: [], own: [] },
    webhooks: false,
  },
  key: 'web',
  repository: 'web',
  enabled: true,
  optionalRoles: { secrets: [rule('secrets')] },
  withheldRoles: { workloads: [rule('services', ['delete'])] },
};
const templates = operatorTemplates(operator);
const text = (name: string) => templates.find(({ path }) => path === `templates/web/${name}.yaml`)?.text ?? '';
/** What is written where it works everywhere, and what is written for each namespace. */
const [everywhere = '', inEach = ''] = text('role-secrets').split('{{- range $namespace');

describe('an optional role', () => {
  it('is bound in the whole cluster only where the operator works in all of it', () => {
    expect(everywhere).toContain('{{- if not .Values.web.watchNamespaces }}');
    expect(everywhere).toContain('kind: ClusterRoleBinding');
  });

  it('is bound in each namespace that it works in otherwise, and nowhere else', () => {
    expect(inEach).toContain('kind: RoleBinding');
    expect(inEach).toContain('namespace: {{ $namespace | quote }}');
    expect(inEach).not.toContain('ClusterRole');
  });
});

it('rights that can be withheld are in a role of their own', () => {
  expect(text('roles-everywhere')).not.toContain('delete');
  expect(text('roles-everywhere')).toContain('services');
  expect(text('role-workloads')).toContain('- delete');
  expect(text('role-workloads')).toContain('.Values.web.roles.workloads');
});

it('the account that Prometheus reads metrics with is there only where Prometheus is told of them', () => {
  const files = operatorTemplates({ ...operator, facts: { ...operator.facts, authorizedMetrics: true } });
  const readers = files.filter(({ path }) => path.includes('metrics-reader'));
  const kinds = (some: typeof files) => some.map(({ path }) => path.split('/').at(-1)?.split('-')[0]).toSorted();
  const [told = [], always = []] = [true, false].map((is) =>
    readers.filter(({ text }) => text.includes('.Values.web.serviceMonitor.enabled') === is),
  );
  expect(kinds(told)).toEqual(['clusterrolebinding', 'secret', 'serviceaccount']);
  expect(kinds(always)).toEqual(['clusterrole']);
});
