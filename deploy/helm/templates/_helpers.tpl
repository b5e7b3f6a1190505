{{- define "holdfast.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* What a selector may rest on: it must never change. Called with the chart's context and a part. */}}
{{- define "holdfast.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end -}}

{{- define "holdfast.labels" -}}
{{ include "holdfast.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{/* Everything of a pod but its ports and probes. Called with the chart's context, the part (which is the role) and its values. */}}
{{- define "holdfast.pod" -}}
metadata:
  labels: {{- include "holdfast.labels" . | nindent 4 }}
  {{- if not .root.Values.metrics.podMonitor }}
  annotations:
    prometheus.io/scrape: "true"
    prometheus.io/path: /metrics
    prometheus.io/port: {{ .root.Values.metrics.port | quote }}
  {{- end }}
spec:
  # A Service named holdfast would set HOLDFAST_PORT to an address.
  enableServiceLinks: false
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: 30
  {{- with .root.Values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    seccompProfile: { type: RuntimeDefault }
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels: {{- include "holdfast.selector" . | nindent 10 }}
  {{- with .values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .values.affinity }}
  affinity: {{- toYaml . | nindent 4 }}
  {{- end }}
  volumes:
    - { name: data, emptyDir: {} }
    - { name: tmp, emptyDir: {} }
  containers:
    - name: {{ .part }}
      image: "{{ .root.Values.image.repository }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}"
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      env:
        - { name: HOLDFAST_ROLE, value: {{ .part }} }
        - { name: HOLDFAST_HOST, value: 0.0.0.0 }
        - { name: HOLDFAST_METRICS_PORT, value: {{ .root.Values.metrics.port | quote }} }
        - name: HOLDFAST_DATABASE_URL
          valueFrom: { secretKeyRef: { name: {{ .root.Values.secret.name }}, key: {{ .root.Values.secret.databaseUrlKey }} } }
        - name: HOLDFAST_REDIS_URL
          valueFrom: { secretKeyRef: { name: {{ .root.Values.secret.name }}, key: {{ .root.Values.secret.redisUrlKey }} } }
        - name: HOLDFAST_ADMIN_KEY
          valueFrom: { secretKeyRef: { name: {{ .root.Values.secret.name }}, key: {{ .root.Values.secret.adminKeyKey }} } }
        {{- range $name, $value := .root.Values.settings }}
        - { name: {{ $name }}, value: {{ $value | quote }} }
        {{- end }}
      resources: {{- toYaml .values.resources | nindent 8 }}
      volumeMounts:
        - { name: data, mountPath: /data }
        - { name: tmp, mountPath: /tmp }
{{- end -}}
