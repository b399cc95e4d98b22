/** The healer's settings, as values of the chart: they reach it as variables of its container. */
import type { PlannedFile } from '../../src/files/template.ts';

/** What can be set, with what it is unless it is set. */
export const settingValues = {
  allowAddresses: [],
  limits: {
    repairs: 60,
    per: '1h',
    concurrent: 5,
    namespaceShare: 0.5,
    storm: { share: 0.3, services: 4, within: '10m', concurrent: 2, coolDown: '10s', calm: '5m' },
  },
};

const name = 'kurator.settings.env';

/** The variables as a list; with those for agents. */
export const settingsEnv = `include "${name}" .`;

export const settingsTemplate: PlannedFile = {
  path: 'templates/kurator/_settings.tpl',
  text: `{{- define "${name}" -}}
{{- include "kurator.agents.env" . }}
- name: KURATOR_ALLOW_ADDRESSES
  value: {{ join "," .Values.kurator.allowAddresses | quote }}
- name: KURATOR_LIMITS
  value: {{ toJson .Values.kurator.limits | quote }}
{{- end }}
`,
};
