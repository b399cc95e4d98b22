{{- /* The operator sets the switch to it, unless somebody has set it: an upgrade without a value says nothing. */ -}}
{{- define "kurator.switch.env" -}}
{{- with .Values.mode | default (ternary "Observe" "" .Release.IsInstall) }}
- name: KURATOR_MODE
  value: {{ . | quote }}
{{- end }}
{{- end }}
