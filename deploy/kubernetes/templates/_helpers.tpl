{{/* The command of an app, its listeners and what they are for. */}}
{{- define "vestibule.isGateway" -}}{{ if eq .app "gateway" }}true{{ end }}{{- end -}}

{{- define "vestibule.name" -}}{{ printf "%s-%s" .root.Release.Name .app | trunc 63 | trimSuffix "-" }}{{- end -}}

{{- define "vestibule.selector" -}}
app.kubernetes.io/name: vestibule
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .app }}
{{- end -}}

{{- define "vestibule.labels" -}}
{{ include "vestibule.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "vestibule.image" -}}
{{- $image := .root.Values.image -}}
{{- printf "%s%s:%s" (ternary "" (printf "%s/" $image.registry) (empty $image.registry)) .app (default .root.Chart.AppVersion $image.tag) -}}
{{- end -}}

{{/* What the chart sets itself; a variable of the values goes before. */}}
{{- define "vestibule.ownEnv" -}}
{{- $values := .root.Values -}}
NATS_URL: {{ $values.natsUrl | quote }}
NATS_USER: {{ .app | quote }}
{{- if eq .app "gateway" }}
BASE_URL: {{ $values.baseUrl | quote }}
ISSUER_URL: {{ default $values.baseUrl $values.issuerUrl | quote }}
MANAGEMENT_HOST: "0.0.0.0"
MANAGEMENT_HOSTS: {{ include "vestibule.managementHosts" . | quote }}
PUBLIC_HOST: "0.0.0.0"
{{- else }}
HEALTH_HOST: "0.0.0.0"
{{- end }}
{{- if eq .app "verifier" }}
BASE_URL: {{ $values.baseUrl | quote }}
CALLBACK_URL: {{ $values.callbackUrl | quote }}
{{- end }}
{{- if eq .app "issuer" }}
ISSUER_URL: {{ default $values.baseUrl $values.issuerUrl | quote }}
CALLBACK_URL: {{ $values.callbackUrl | quote }}
{{- end }}
{{- if eq .app "wallet-store" }}
BASE_URL: {{ $values.baseUrl | quote }}
{{- end }}
{{- end -}}

{{/* The names by which backends in the cluster call the management listener. */}}
{{- define "vestibule.managementHosts" -}}
{{- $name := printf "%s-management" (include "vestibule.name" .) -}}
{{- $space := .root.Release.Namespace -}}
{{- printf "%s,%s.%s,%s.%s.svc,%s.%s.svc.cluster.local" $name $name $space $name $space $name $space -}}
{{- end -}}

{{- define "vestibule.env" -}}
{{- $own := fromYaml (include "vestibule.ownEnv" .) -}}
{{- $all := mergeOverwrite $own (deepCopy .root.Values.env) (deepCopy .config.env) -}}
{{- range $name, $value := $all }}
{{- if ne (toString $value) "" }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
{{- range $name, $secret := .config.secretFiles }}
- name: {{ $name }}_FILE
  value: /run/secrets/vestibule/{{ $name }}
{{- end }}
{{- end -}}

{{- define "vestibule.mounts" -}}
- name: secrets
  mountPath: /run/secrets/vestibule
  readOnly: true
{{- range concat .root.Values.configMaps .config.configMaps }}
- name: {{ .name }}
  mountPath: {{ .path }}
  readOnly: true
{{- end }}
{{- end -}}

{{- define "vestibule.volumes" -}}
- name: secrets
  projected:
    # The group of the pod may read them, nobody else.
    defaultMode: 0440
    sources:
{{- range $name, $secret := .config.secretFiles }}
      - secret:
          name: {{ $secret.name }}
          items:
            - { key: {{ $secret.key }}, path: {{ $name }} }
{{- end }}
{{- range concat .root.Values.configMaps .config.configMaps }}
- name: {{ .name }}
  configMap:
    name: {{ .name }}
{{- end }}
{{- end -}}

{{/* What every pod has in common. */}}
{{- define "vestibule.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .root.Values.serviceAccount.name }}
serviceAccountName: {{ . }}
{{- end }}
{{- with .root.Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  # The user `node` of the images.
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "vestibule.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{- define "vestibule.probe" -}}
httpGet:
  path: {{ .path }}
  port: {{ ternary "management" "health" (eq .app "gateway") }}
  {{- if and (eq .app "gateway") .root.Values.managementTls }}
  scheme: HTTPS
  {{- end }}
timeoutSeconds: 5
{{- end -}}

{{- define "vestibule.checkValues" -}}
{{- if not .Values.baseUrl }}{{ fail "set baseUrl: the https URL of the public listener as wallets see it" }}{{ end -}}
{{- if not .Values.callbackUrl }}{{ fail "set callbackUrl: where the events of Vestibule go" }}{{ end -}}
{{- end -}}
