import type { PolicyRule } from '@kurator/client';
import { describe, expect, it } from 'vitest';
import { operatorTemplates } from './operator-templates.ts';

const rule = (resource: string, verbs = ['get']): PolicyRule => ({ apiGroups: [''], resources: [resource], verbs });
const templates = operatorTemplates({
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
});
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
