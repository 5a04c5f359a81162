{{/*
Secrets that Helm creates if certificates.mode is "helm": name to data, as YAML. Computed once per rendering. Upgrades keep a certificate
until it is about to expire, its names change or its CA changes.
*/}}
{{- define "thole.made" -}}
{{- if not (hasKey .Values.certificates "made") -}}
{{- $namespace := .Release.Namespace -}}
{{- $days := int .Values.certificates.validityDays -}}
{{- $caName := printf "%s-ca" (include "thole.fullname" .) -}}
{{- $now := now | unixEpoch | int64 -}}
{{- $old := lookup "v1" "Secret" $namespace $caName -}}
{{- $ca := dict -}}
{{- if $old -}}
{{- $ca = buildCustomCert (index $old.data "tls.crt") (index $old.data "tls.key") -}}
{{- else -}}
{{- $ca = genCA $caName 3650 -}}
{{- end -}}
{{- $made := dict $caName (dict "annotations" dict "data" (dict "tls.crt" ($ca.Cert | b64enc) "tls.key" ($ca.Key | b64enc))) -}}
{{- range $wish := include "thole.certificates" . | fromYamlArray -}}
{{- $wanted := toJson $wish | sha256sum | trunc 16 -}}
{{- $kept := lookup "v1" "Secret" $namespace $wish.secret -}}
{{- /* Omit Helm's own additions, so that the rendered output does not depend on them. */ -}}
{{- $notes := pick (dig "metadata" "annotations" dict $kept) "thole/wanted" "thole/not-after" -}}
{{- $signed := eq (dig "data" "ca.crt" "" $kept) ($ca.Cert | b64enc) -}}
{{- $left := sub (index $notes "thole/not-after" | default "0" | int64) $now -}}
{{- if and $kept $signed (eq $wanted (index $notes "thole/wanted" | default "")) (gt $left (mul (int $.Values.certificates.renewBeforeDays) 86400)) -}}
{{- $_ := set $made $wish.secret (dict "annotations" $notes "data" $kept.data) -}}
{{- else -}}
{{- $addresses := list -}}
{{- $hosts := list -}}
{{- range $wish.names -}}
{{- if regexMatch "^[0-9.]+$|:" . }}{{ $addresses = append $addresses . }}{{ else }}{{ $hosts = append $hosts . }}{{ end -}}
{{- end -}}
{{- $fresh := genSignedCert $wish.commonName $addresses $hosts $days $ca -}}
{{- $data := dict "tls.crt" ($fresh.Cert | b64enc) "tls.key" ($fresh.Key | b64enc) "ca.crt" ($ca.Cert | b64enc) -}}
{{- $notes := dict "thole/wanted" $wanted "thole/not-after" (printf "%d" (add $now (mul $days 86400))) -}}
{{- $_ := set $made $wish.secret (dict "annotations" $notes "data" $data) -}}
{{- end -}}
{{- end -}}
{{- $_ := set .Values.certificates "made" (toYaml $made) -}}
{{- end -}}
{{- .Values.certificates.made -}}
{{- end -}}

{{/* Restarts the pods when Helm has created a new CA; other certificates are reloaded without a restart. */}}
{{- define "thole.authority" -}}
{{- if eq .Values.certificates.mode "helm" -}}
checksum/authority: {{ dig (printf "%s-ca" (include "thole.fullname" .)) "data" "tls.crt" "" (include "thole.made" . | fromYaml) | sha256sum }}
{{- end -}}
{{- end -}}
