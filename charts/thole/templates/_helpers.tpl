{{- define "thole.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- (contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name)) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "thole.selector" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "thole.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: thole
{{ include "thole.selector" . }}
{{- end -}}

{{/* Image reference of image values: (list image defaultTag). */}}
{{- define "thole.image" -}}
{{- $image := index . 0 -}}
{{- if $image.digest -}}{{ $image.repository }}@{{ $image.digest }}{{- else -}}{{ $image.repository }}:{{ default (index . 1) $image.tag }}{{- end -}}
{{- end -}}

{{- define "thole.serviceAccount" -}}
{{ default (include "thole.fullname" .) .Values.serviceAccount.name }}
{{- end -}}

{{- define "thole.ownEtcd" -}}{{ if eq .Values.store.type "etcd" }}yes{{ end }}{{- end -}}

{{/* Names of the Secrets. */}}
{{- define "thole.secret.serving" -}}
{{- if eq .Values.certificates.mode "existing" -}}
{{ required "certificates.existing.serving: name the Secret with tls.crt and tls.key" .Values.certificates.existing.serving }}
{{- else -}}{{ include "thole.fullname" . }}-tls{{- end -}}
{{- end -}}
{{- define "thole.secret.etcd" -}}
{{- if eq .Values.certificates.mode "existing" -}}
{{ required "certificates.existing.etcd: name the Secret of etcd's members, or take another store.type" .Values.certificates.existing.etcd }}
{{- else -}}{{ include "thole.fullname" . }}-etcd-tls{{- end -}}
{{- end -}}
{{- define "thole.secret.etcdClient" -}}
{{- if eq .Values.store.type "external" -}}{{ .Values.store.external.tlsSecret }}
{{- else if eq .Values.certificates.mode "existing" -}}
{{ required "certificates.existing.etcdClient: name the Secret to reach etcd with" .Values.certificates.existing.etcdClient }}
{{- else -}}{{ include "thole.fullname" . }}-etcd-client{{- end -}}
{{- end -}}
{{- define "thole.secret.tokens" -}}
{{- if .Values.authentication.tokens.existingSecret -}}{{ .Values.authentication.tokens.existingSecret }}
{{- else if .Values.authentication.tokens.create -}}{{ include "thole.fullname" . }}-tokens{{- end -}}
{{- end -}}
{{- define "thole.secret.serviceAccountKey" -}}
{{- if .Values.authentication.serviceAccountKey.existingSecret -}}{{ .Values.authentication.serviceAccountKey.existingSecret }}
{{- else if .Values.authentication.serviceAccountKey.create -}}{{ include "thole.fullname" . }}-service-account-key{{- end -}}
{{- end -}}
{{- define "thole.secret.encryption" -}}
{{- if .Values.encryption.existingSecret -}}{{ .Values.encryption.existingSecret }}
{{- else if .Values.encryption.enabled -}}{{ include "thole.fullname" . }}-encryption{{- end -}}
{{- end -}}
{{/* True if the Secret of the serving certificate is known to contain ca.crt. */}}
{{- define "thole.servingCA" -}}
{{- if or (ne .Values.certificates.mode "existing") .Values.certificates.existing.caBundle -}}yes{{- end -}}
{{- end -}}

{{- define "thole.etcd.hosts" -}}
{{- $name := printf "%s-etcd" (include "thole.fullname" .) -}}
{{- range $index := until (int .Values.etcd.members) }}
- {{ $name }}-{{ $index }}.{{ $name }}.{{ $.Release.Namespace }}.svc
{{- end -}}
{{- end -}}

{{- define "thole.etcd.servers" -}}
{{- if eq .Values.store.type "external" -}}
{{- join "," (required "store.external.endpoints: say where etcd is" .Values.store.external.endpoints) -}}
{{- else -}}
{{- range $index, $host := include "thole.etcd.hosts" . | fromYamlArray }}{{ if $index }},{{ end }}https://{{ $host }}:2379{{ end -}}
{{- end -}}
{{- end -}}

{{/* The required certificates: one table for all values of certificates.mode. */}}
{{- define "thole.certificates" -}}
{{- $name := include "thole.fullname" . -}}
{{- $service := list $name (printf "%s.%s" $name .Release.Namespace) (printf "%s.%s.svc" $name .Release.Namespace) (printf "%s.%s.svc.cluster.local" $name .Release.Namespace) "localhost" "127.0.0.1" -}}
- secret: {{ $name }}-tls
  commonName: {{ $name }}
  usage: server
  names: {{ concat $service .Values.certificates.extraNames | toJson }}
{{- if include "thole.ownEtcd" . }}
- secret: {{ $name }}-etcd-tls
  commonName: {{ $name }}-etcd
  usage: both
  names: {{ concat (include "thole.etcd.hosts" . | fromYamlArray) (list (printf "%s-etcd.%s.svc" $name .Release.Namespace) "localhost" "127.0.0.1") .Values.etcd.extraNames | toJson }}
- secret: {{ $name }}-etcd-client
  commonName: {{ $name }}
  usage: client
  names: []
{{- end }}
{{- end -}}

{{/* Whether the servers use the credentials of their pod: as "authentication", "authorization", or both. */}}
{{- define "thole.inCluster" -}}
{{- range list "authentication" "authorization" -}}
{{- if eq (index $.Values.settings (printf "%s-kubeconfig" .)) "in-cluster" }}{{ . }} {{ end -}}
{{- end -}}
{{- end -}}
{{- define "thole.account.path" -}}/var/run/secrets/kubernetes.io/serviceaccount{{- end -}}
{{/* Whether the chart mounts these credentials: not if extraVolumeMounts do. */}}
{{- define "thole.account.mounted" -}}
{{- $given := false -}}
{{- range .Values.extraVolumeMounts }}{{ if eq .mountPath (include "thole.account.path" $) }}{{ $given = true }}{{ end }}{{ end -}}
{{- if and (include "thole.inCluster" .) (not $given) }}yes{{ end -}}
{{- end -}}
{{/* Whether flags name the front proxy. The servers follow the cluster's own ConfigMap instead if the cluster authenticates for them. */}}
{{- define "thole.frontProxy.fixed" -}}
{{- $followed := and (contains "authentication" (include "thole.inCluster" .)) (not .Values.apiService.frontProxy.configMap) -}}
{{- if and .Values.apiService.enabled (not $followed) }}yes{{ end -}}
{{- end -}}

{{/* Settings with the values that `audit` and `encryption` give, as YAML. */}}
{{- define "thole.settings" -}}
{{- $settings := deepCopy .Values.settings -}}
{{- if include "thole.secret.encryption" . -}}
{{- $_ := set $settings "encryption-provider-config" "/etc/thole/encryption/encryption.yaml" -}}
{{- end -}}
{{- with .Values.audit -}}
{{- if .policy -}}
{{- $_ := set $settings "audit-policy-file" "/etc/thole/audit/policy.yaml" -}}
{{- if .log }}{{ $_ := set $settings "audit-log-path" "-" }}{{ end -}}
{{- if .webhookSecret }}{{ $_ := set $settings "audit-webhook-config-file" "/etc/thole/audit-webhook/kubeconfig" }}{{ end -}}
{{- end -}}
{{- end -}}
{{ toJson $settings }}
{{- end -}}

{{/* The settings that differ from the default of their flag, as JSON: (list root settings). */}}
{{- define "thole.changed" -}}
{{- $root := index . 0 -}}
{{- $defaults := $root.Files.Get "files/defaults.json" | fromJson -}}
{{- $changed := dict -}}
{{- range $name, $value := index . 1 -}}
{{- if ne (toJson $value) (toJson (index $defaults $name)) }}{{ $_ := set $changed $name $value }}{{ end -}}
{{- end -}}
{{ toJson $changed }}
{{- end -}}

{{/* A setting as flags (list name value): one flag per item of a list or map, because items may contain commas; none if empty. */}}
{{- define "thole.flags" -}}
{{- $name := index . 0 -}}
{{- $value := index . 1 -}}
{{- if kindIs "map" $value -}}
{{- range $key, $each := $value }}
- {{ printf "--%s=%s=%v" $name $key $each | quote }}
{{- end }}
{{- else if kindIs "slice" $value -}}
{{- range $value }}
- {{ printf "--%s=%s" $name . | quote }}
{{- end }}
{{- else if kindIs "float64" $value }}
- --{{ $name }}={{ int64 $value }}
{{- else if ne (toString $value) "" }}
- {{ printf "--%s=%v" $name $value | quote }}
{{- end -}}
{{- end -}}

{{- define "thole.args" -}}
- --config=/etc/thole/config/thole.yaml
- --data-dir=/var/lib/thole
- --tls-cert-file=/etc/thole/tls/tls.crt
- --tls-private-key-file=/etc/thole/tls/tls.key
{{- if .Values.authentication.clientCASecret }}
- --client-ca-file=/etc/thole/client-ca/ca.crt
{{- end }}
{{- if include "thole.frontProxy.fixed" . }}
{{- $proxy := include "thole.frontProxy" . | fromYaml }}
- --requestheader-client-ca-file=/etc/thole/front-proxy/ca.crt
{{- range $proxy.allowedNames }}
- --requestheader-allowed-names={{ . }}
{{- end }}
{{- range $proxy.usernameHeaders }}
- --requestheader-username-headers={{ . }}
{{- end }}
{{- range $proxy.uidHeaders }}
- --requestheader-uid-headers={{ . }}
{{- end }}
{{- range $proxy.groupHeaders }}
- --requestheader-group-headers={{ . }}
{{- end }}
{{- range $proxy.extraHeadersPrefix }}
- --requestheader-extra-headers-prefix={{ . }}
{{- end }}
{{- end }}
{{- if include "thole.secret.tokens" . }}
- --token-auth-file=/etc/thole/tokens/tokens.csv
{{- end }}
{{- if include "thole.secret.serviceAccountKey" . }}
- --service-account-signing-key-file=/etc/thole/service-account-key/signing.key
{{- range .Values.authentication.serviceAccountKey.verifying }}
- --service-account-key-file=/etc/thole/service-account-key/{{ . }}
{{- end }}
{{- end }}
{{- if ne .Values.store.type "embedded" }}
- --etcd-servers={{ include "thole.etcd.servers" . }}
{{- if include "thole.secret.etcdClient" . }}
- --etcd-cafile=/etc/thole/etcd/ca.crt
- --etcd-certfile=/etc/thole/etcd/tls.crt
- --etcd-keyfile=/etc/thole/etcd/tls.key
{{- end }}
{{- end }}
{{- range $name, $value := include "thole.changed" (list . (include "thole.settings" . | fromJson)) | fromJson }}
{{- include "thole.flags" (list $name $value) }}
{{- end }}
{{- range .Values.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end -}}

{{/* Probe of an endpoint: (list root endpoint). The kubelet has no credentials, so without anonymous requests a program with a token sends the request. */}}
{{- define "thole.probe" -}}
{{- $root := index . 0 -}}
{{- if index $root.Values.settings "anonymous-auth" -}}
httpGet:
  path: /{{ index . 1 }}
  port: https
  scheme: HTTPS
{{- else -}}
exec:
  command:
    {{- include "thole.healthcheck" (list (printf "https://127.0.0.1:%v/%s" (index $root.Values.settings "secure-port") (index . 1)) "--token-file=/etc/thole/tokens/metrics-token") | nindent 4 }}
{{- end }}
{{- end -}}

{{/* Arguments of the health check program, after the image's entry point. */}}
{{- define "thole.healthcheck" -}}
- /bin/deno
- run
- --no-prompt
- --allow-net
- --allow-read
- /thole/scripts/healthcheck.ts
{{- range . }}
- {{ . | quote }}
{{- end }}
{{- end -}}

{{/* The front proxy of the forwarding kube-apiserver, as YAML: the ConfigMap with its CA, the CA text (ca) if the chart creates that ConfigMap, names and headers. */}}
{{- define "thole.frontProxy" -}}
{{- $given := .Values.apiService.frontProxy -}}
{{- if $given.configMap -}}
{{ toYaml $given }}
{{- else -}}
{{- $known := dig "data" dict (lookup "v1" "ConfigMap" "kube-system" "extension-apiserver-authentication") -}}
{{- if not (index $known "requestheader-client-ca-file") -}}
{{- fail "apiService.enabled: the cluster does not say in kube-system/extension-apiserver-authentication who forwards its requests, or was not asked, as with helm template: name a copy of that ConfigMap in apiService.frontProxy.configMap" -}}
{{- end -}}
configMap: {{ include "thole.fullname" . }}-front-proxy
ca: {{ index $known "requestheader-client-ca-file" | toJson }}
allowedNames: {{ index $known "requestheader-allowed-names" | default "[]" }}
usernameHeaders: {{ index $known "requestheader-username-headers" | default "[]" }}
uidHeaders: {{ index $known "requestheader-uid-headers" | default "[]" }}
groupHeaders: {{ index $known "requestheader-group-headers" | default "[]" }}
extraHeadersPrefix: {{ index $known "requestheader-extra-headers-prefix" | default "[]" }}
{{- end -}}
{{- end -}}

{{- define "thole.check" -}}
{{- with .Values.audit -}}
{{- if and (not .policy) (or .webhookSecret .log) -}}
{{- fail "audit.policy: without a policy nothing is recorded, so set it, or neither audit.log nor audit.webhookSecret" -}}
{{- end -}}
{{- if and .policy (not .log) (not .webhookSecret) (not (index $.Values.settings "audit-log-path")) (not (index $.Values.settings "audit-webhook-config-file")) -}}
{{- fail "audit.policy: events need a destination, so set audit.log, audit.webhookSecret or settings.audit-log-path" -}}
{{- end -}}
{{- if and .policy (index $.Values.settings "audit-policy-file") -}}
{{- fail "audit.policy and settings.audit-policy-file: set one of them" -}}
{{- end -}}
{{- end -}}
{{- if and (gt (int .Values.replicaCount) 1) (not (include "thole.secret.serviceAccountKey" .)) -}}
{{- fail "authentication.serviceAccountKey: several servers need one key for service account tokens, so set create or existingSecret" -}}
{{- end -}}
{{- if and (eq .Values.store.type "embedded") (ne (int .Values.replicaCount) 1) -}}
{{- fail "store.type \"embedded\" has one server: set replicaCount to 1, or take store.type \"etcd\"" -}}
{{- end -}}
{{- if and (eq .Values.store.type "embedded") (not (has (toString (index .Values.settings "workers")) (list "1" "auto"))) -}}
{{- fail "settings.workers: the embedded store belongs to one process: set workers to 1, or take store.type \"etcd\"" -}}
{{- end -}}
{{- if and (not (index .Values.settings "anonymous-auth")) (not (include "thole.secret.tokens" .)) -}}
{{- fail "settings.anonymous-auth=false: the probes need a token, so set authentication.tokens.create or existingSecret" -}}
{{- end -}}
{{- end -}}
