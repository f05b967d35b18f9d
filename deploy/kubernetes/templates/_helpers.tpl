{{- define "vestibule.name" -}}{{ printf "%s-%s" .root.Release.Name .app | trunc 63 | trimSuffix "-" }}{{- end -}}

{{/* Of the gateway's listener: the name of a Service has at most 63 characters. */}}
{{- define "vestibule.serviceName" -}}
{{ printf "%s-%s" (include "vestibule.name" . | trunc 52 | trimSuffix "-") .listener }}
{{- end -}}

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
{{- printf "%s%s:%s" (ternary "" (printf "%s/" $image.registry) (empty $image.registry)) .app (coalesce .config.tag $image.tag .root.Chart.AppVersion) -}}
{{- end -}}

{{/* What the chart sets itself; a variable of the values goes before. */}}
{{- define "vestibule.ownEnv" -}}
{{- $values := .root.Values -}}
NATS_URL: {{ $values.natsUrl | quote }}
NATS_USER: {{ .app | quote }}
HEALTH_HOST: "0.0.0.0"
{{- if eq .app "gateway" }}
BASE_URL: {{ $values.baseUrl | quote }}
ISSUER_URL: {{ default $values.baseUrl $values.issuerUrl | quote }}
MANAGEMENT_HOST: "0.0.0.0"
MANAGEMENT_HOSTS: {{ include "vestibule.managementHosts" . | quote }}
PUBLIC_HOST: "0.0.0.0"
SERVICES: {{ include "vestibule.services" . | quote }}
HEALTH_PORT: "8082"
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

{{/* The services of the installation, on which /health/ready of the management listener reports. */}}
{{- define "vestibule.services" -}}
{{- $names := list -}}
{{- range $app, $config := .root.Values.apps -}}
{{- if and $config.enabled (ne $app "gateway") }}{{ $names = append $names $app }}{{ end -}}
{{- end -}}
{{- join "," $names -}}
{{- end -}}

{{/* The names by which backends in the cluster call the management listener. */}}
{{- define "vestibule.managementHosts" -}}
{{- $name := include "vestibule.serviceName" (merge (dict "listener" "management") .) -}}
{{- $space := .root.Release.Namespace -}}
{{- printf "%s,%s.%s,%s.%s.svc,%s.%s.svc.cluster.local" $name $name $space $name $space $name $space -}}
{{- end -}}

{{/* A value as text. Helm reads whole numbers from files as floats, and would write a million as 1e+06. */}}
{{- define "vestibule.text" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) }}{{ int64 . }}{{ else }}{{ . }}{{ end -}}
{{- end -}}

{{- define "vestibule.env" -}}
{{- $own := fromYaml (include "vestibule.ownEnv" .) -}}
{{- $all := mergeOverwrite $own (deepCopy .root.Values.env) (deepCopy .config.env) -}}
{{- range $name, $value := $all }}
{{- if ne (toString $value) "" }}
- name: {{ $name }}
  value: {{ include "vestibule.text" $value | quote }}
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
{{- range $index, $folder := .config.secretFolders }}
- name: secret-folder-{{ $index }}
  mountPath: {{ $folder.path }}
  readOnly: true
{{- end }}
{{- range $index, $path := .config.writableFolders }}
- name: writable-folder-{{ $index }}
  mountPath: {{ $path }}
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
{{- range $index, $folder := .config.secretFolders }}
- name: secret-folder-{{ $index }}
  secret:
    secretName: {{ $folder.name }}
    defaultMode: 0440
{{- end }}
{{- range $index, $path := .config.writableFolders }}
- name: writable-folder-{{ $index }}
  emptyDir: { sizeLimit: 256Mi }
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

{{/*
Each pod is asked about itself. The management listener reports on every service: by that, one service that is not ready
would take all gateways from wallets and backends, with everything that the other services could do.
*/}}
{{- define "vestibule.probe" -}}
httpGet: { path: {{ .path }}, port: health }
timeoutSeconds: 5
{{- end -}}

{{- define "vestibule.checkValues" -}}
{{- if not .Values.baseUrl }}{{ fail "set baseUrl: the https URL of the public listener as wallets see it" }}{{ end -}}
{{- if not .Values.callbackUrl }}{{ fail "set callbackUrl: where the events of Vestibule go" }}{{ end -}}
{{- end -}}
