{{- define "kurator.chart" -}}
{{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- /* The name of an image: by its digest where that is given, else by its tag, else by the chart's version. */ -}}
{{- define "kurator.image" -}}
{{- $chart := (index . 0).Chart -}}
{{- with index . 1 -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end }}

{{- /* CRDs outlive the release unless told: with them, every object of theirs would be deleted. */ -}}
{{- define "kurator.crdAnnotations" -}}
{{- if .Values.crds.keep -}}
helm.sh/resource-policy: keep
{{- end -}}
{{- end }}
