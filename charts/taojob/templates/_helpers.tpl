{{/* The name that all objects begin with. Longer ones than Services may have don't get far. */}}
{{- define "taojob.fullname" -}}
{{- if contains "taojob" .Release.Name -}}
{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-taojob" (.Release.Name | trunc 33 | trimSuffix "-") }}
{{- end -}}
{{- end }}

{{- define "taojob.webhook" -}}
{{ include "taojob.fullname" . }}-webhook
{{- end }}

{{- define "taojob.tlsSecret" -}}
{{- if eq .Values.certs.mode "provided" -}}
{{ required "certs.provided.secretName: name the Secret with the certificate, or choose another certs.mode" .Values.certs.provided.secretName }}
{{- else -}}
{{ include "taojob.webhook" . }}-tls
{{- end -}}
{{- end }}

{{- define "taojob.selectorLabels" -}}
app.kubernetes.io/name: taojob
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: webhook
{{- end }}

{{- define "taojob.labels" -}}
{{ include "taojob.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "taojob.image" -}}
{{- with .Values.image -}}
{{ with .registry }}{{ . }}/{{ end }}{{ .repository }}
{{- if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end -}}
{{- end }}

{{/* What a webhook's configuration says of each of its webhooks: where it is … */}}
{{- define "taojob.clientConfig" -}}
service: {name: {{ include "taojob.webhook" .root }}, namespace: {{ .root.Release.Namespace }}, path: {{ .path }}}
{{- if eq .root.Values.certs.mode "provided" }}
caBundle: {{ required "certs.provided.caBundle: give the authority that signed the certificate" .root.Values.certs.provided.caBundle }}
{{- end }}
{{- end }}

{{/* … and which namespaces it keeps out of: a cluster has to start without it, and so has it. */}}
{{- define "taojob.namespaceSelector" -}}
matchExpressions:
- key: kubernetes.io/metadata.name
  operator: NotIn
  values: {{ concat (list "kube-system" .Release.Namespace) .Values.webhooks.excludedNamespaces | uniq | toJson }}
{{- end }}

{{/* From 1.28 on the API server judges conditions itself. */}}
{{- define "taojob.matchConditions" -}}
{{- if semverCompare ">=1.28.0-0" .Capabilities.KubeVersion.Version -}}
true
{{- end -}}
{{- end }}
