/** What the cluster's switch is set to where nobody has set it: a value of the chart, and a variable in plain manifests. */
import type { ChartOperator } from '../../src/chart/operator-templates.ts';
import type { PlannedFile } from '../../src/files/template.ts';
import type { OperatorDescription } from '../../src/manifests/description.ts';

/** What can be set of it. Unless it is, a first installation observes, and an upgrade changes nothing. */
export const switchValues = { mode: '' };

const name = 'kurator.switch.env';
const variable = 'KURATOR_MODE';

/** As plain manifests and a bundle have it: they can't tell an installation from an upgrade, and overrule nobody either way. */
export function observing(operator: OperatorDescription): OperatorDescription {
  return { ...operator, env: [...(operator.env ?? []), { name: variable, value: 'Observe' }] };
}

/** With what else the operator's pods need besides. */
export function withSwitch(more: NonNullable<ChartOperator['more']>): NonNullable<ChartOperator['more']> {
  return { ...more, env: `printf "%s\\n%s" (${more.env}) (include "${name}" .)` };
}

export const switchTemplate: PlannedFile = {
  path: 'templates/kurator/_switch.tpl',
  text: `{{- /* The operator sets the switch to it, unless somebody has set it: an upgrade without a value says nothing. */ -}}
{{- define "${name}" -}}
{{- with .Values.mode | default (ternary "Observe" "" .Release.IsInstall) }}
- name: ${variable}
  value: {{ . | quote }}
{{- end }}
{{- end }}
`,
};

export const switchNotes = `
{{- if .Values.kurator.enabled }}
The switch of the cluster (off, observe only, on), and how to turn it:
  kubectl get kuratorswitch cluster
  echo '{"apiVersion":"kurator.sh/v1alpha1","kind":"KuratorSwitch","metadata":{"name":"cluster"},
    "spec":{"mode":"On","by":"your name","reason":"why"}}' | kubectl apply -f -
{{- end }}
`;
