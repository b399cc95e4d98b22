{{- define "kurator.agents.secret" -}}
{{ .Values.kurator.agents.existingSecret | default "kurator-agent" }}
{{- end }}

{{- define "kurator.agents.env" -}}
{{- if .Values.kurator.agents.enabled }}
- name: KURATOR_AGENT_KEY_FILE
  value: /etc/kurator-agent/key
{{- end }}
{{- end }}

{{- define "kurator.agents.volumeMounts" -}}
{{- if .Values.kurator.agents.enabled }}
- name: agent-key
  mountPath: /etc/kurator-agent
  readOnly: true
{{- end }}
{{- end }}

{{- define "kurator.agents.volumes" -}}
{{- if .Values.kurator.agents.enabled }}
- name: agent-key
  secret:
    secretName: {{ include "kurator.agents.secret" . }}
{{- end }}
{{- end }}
