{{- define "kurator.settings.env" -}}
{{- include "kurator.agents.env" . }}
- name: KURATOR_ALLOW_ADDRESSES
  value: {{ join "," .Values.kurator.allowAddresses | quote }}
- name: KURATOR_HOST_NETWORK_CHECKS
  value: {{ .Values.kurator.hostNetworkChecks | quote }}
- name: KURATOR_LIMITS
  value: {{ toJson .Values.kurator.limits | quote }}
{{- end }}
