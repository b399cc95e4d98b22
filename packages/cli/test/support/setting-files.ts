/** The healer's settings, as values of the chart: they reach it as variables of its container. */

import { settingVariables } from '@kurator/kubectl-kurator';
import type { PlannedFile } from '../../src/files/template.ts';

const name = 'kurator.settings.env';

/** The variables as a list; with those for agents. */
export const settingsEnv = `include "${name}" .`;

export const settingsTemplate: PlannedFile = {
  path: 'templates/kurator/_settings.tpl',
  text: `{{- define "${name}" -}}
{{- include "kurator.agents.env" . }}
- name: ${settingVariables.allowAddresses}
  value: {{ join "," .Values.kurator.allowAddresses | quote }}
- name: ${settingVariables.hostNetworkChecks}
  value: {{ .Values.kurator.hostNetworkChecks | quote }}
- name: ${settingVariables.limits}
  value: {{ toJson .Values.kurator.limits | quote }}
{{- end }}
`,
};
