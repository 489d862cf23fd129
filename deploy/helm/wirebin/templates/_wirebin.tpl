{{- define "wirebin.selector" -}}
app.kubernetes.io/name: wirebin
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "wirebin.metadata" -}}
name: {{ .Release.Name }}
labels:
  {{- include "wirebin.selector" . | nindent 2 }}
{{- end }}

{{- define "wirebin.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "wirebin.pullSecrets" -}}
{{- with .Values.image.pullSecrets -}}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- end }}

{{/* Whether wirebin has the certificate of a Secret: "true" or empty. */}}
{{- define "wirebin.tls" -}}
{{- if or .Values.backendTls.enabled .Values.mtls.enabled }}true{{ end -}}
{{- end }}

{{/* The settings of the chart; `env` adds and overrides. */}}
{{- define "wirebin.settings" -}}
WIREBIN_DRAIN_DELAY: {{ .Values.drain.delay }}s
WIREBIN_DRAIN_TIMEOUT: {{ .Values.drain.timeout }}s
# Megabytes; the memory limit leaves as much again for Node.
WIREBIN_MAX_CONTENT_MEMORY: '256'
{{- if .Values.monitoring.enabled }}
WIREBIN_METRICS_ENABLED: 'true'
{{- end }}
{{- if include "wirebin.tls" . }}
WIREBIN_TLS_CERT: /etc/wirebin/tls/tls.crt
WIREBIN_TLS_KEY: /etc/wirebin/tls/tls.key
{{- end }}
{{- if .Values.mtls.enabled }}
WIREBIN_CLIENT_CERT: require
WIREBIN_TLS_CA: /etc/wirebin/client-ca/ca.crt
{{- end }}
{{- end }}

{{/* And those from the Pod. */}}
{{- define "wirebin.fields" -}}
WIREBIN_NAME: metadata.name
WIREBIN_NAMESPACE: metadata.namespace
WIREBIN_POD_NAME: metadata.name
{{- end }}
