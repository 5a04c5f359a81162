{{/* Pod of a server. Only the volume differs between stores. */}}
{{- define "thole.pod" -}}
metadata:
  labels:
    {{- include "thole.selector" . | nindent 4 }}
    app.kubernetes.io/component: server
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    kubectl.kubernetes.io/default-container: thole
    {{- with include "thole.authority" . }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- with .Values.audit.policy }}
    checksum/audit-policy: {{ toJson . | sha256sum }}
    {{- end }}
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "thole.serviceAccount" . }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
  securityContext:
    {{- toYaml .Values.podSecurityContext | nindent 4 }}
  {{- include "thole.placement" (list . .Values "server") | nindent 2 }}
  containers:
    - name: thole
      image: {{ include "thole.image" (list .Values.image .Chart.AppVersion) }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      {{- if ne (toString (index .Values.settings "workers")) "1" }}
      command:
        {{- include "thole.supervisor" . | nindent 8 }}
      {{- end }}
      args:
        {{- include "thole.args" . | nindent 8 }}
      ports:
        - name: https
          containerPort: {{ index .Values.settings "secure-port" }}
          protocol: TCP
      # Without the check of the store: a restart does not mend etcd, and loses the warm cache from which reads go on.
      startupProbe:
        {{- include "thole.probe" (list . "livez?exclude=etcd") | nindent 8 }}
        {{- toYaml .Values.probes.startup | nindent 8 }}
      livenessProbe:
        {{- include "thole.probe" (list . "livez?exclude=etcd") | nindent 8 }}
        {{- toYaml .Values.probes.liveness | nindent 8 }}
      readinessProbe:
        {{- include "thole.probe" (list . "readyz") | nindent 8 }}
        {{- toYaml .Values.probes.readiness | nindent 8 }}
      securityContext:
        {{- toYaml .Values.securityContext | nindent 8 }}
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - {name: data, mountPath: /var/lib/thole}
        - {name: config, mountPath: /etc/thole/config, readOnly: true}
        - {name: tls, mountPath: /etc/thole/tls, readOnly: true}
        {{- if include "thole.secret.tokens" . }}
        - {name: tokens, mountPath: /etc/thole/tokens, readOnly: true}
        {{- end }}
        {{- if include "thole.secret.serviceAccountKey" . }}
        - {name: service-account-key, mountPath: /etc/thole/service-account-key, readOnly: true}
        {{- end }}
        {{- if include "thole.secret.encryption" . }}
        - {name: encryption, mountPath: /etc/thole/encryption, readOnly: true}
        {{- end }}
        {{- if .Values.authentication.clientCASecret }}
        - {name: client-ca, mountPath: /etc/thole/client-ca, readOnly: true}
        {{- end }}
        {{- if include "thole.account.mounted" . }}
        - {name: account, mountPath: {{ include "thole.account.path" . }}, readOnly: true}
        {{- end }}
        {{- if .Values.audit.policy }}
        - {name: audit, mountPath: /etc/thole/audit, readOnly: true}
        {{- end }}
        {{- if .Values.audit.webhookSecret }}
        - {name: audit-webhook, mountPath: /etc/thole/audit-webhook, readOnly: true}
        {{- end }}
        {{- if include "thole.frontProxy.fixed" . }}
        - {name: front-proxy, mountPath: /etc/thole/front-proxy, readOnly: true}
        {{- end }}
        {{- if and (ne .Values.store.type "embedded") (include "thole.secret.etcdClient" .) }}
        - {name: etcd, mountPath: /etc/thole/etcd, readOnly: true}
        {{- end }}
        {{- with .Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    {{- if ne .Values.store.type "embedded" }}
    - name: data
      emptyDir: {sizeLimit: 64Mi}
    {{- end }}
    - name: config
      configMap: {name: {{ include "thole.fullname" . }}}
    - name: tls
      secret: {secretName: {{ include "thole.secret.serving" . }}, defaultMode: 0440}
    {{- with include "thole.secret.tokens" . }}
    - name: tokens
      secret: {secretName: {{ . }}, defaultMode: 0440}
    {{- end }}
    {{- with include "thole.secret.serviceAccountKey" . }}
    - name: service-account-key
      secret: {secretName: {{ . }}, defaultMode: 0440}
    {{- end }}
    {{- with include "thole.secret.encryption" . }}
    - name: encryption
      secret: {secretName: {{ . }}, defaultMode: 0440}
    {{- end }}
    {{- with .Values.authentication.clientCASecret }}
    - name: client-ca
      secret: {secretName: {{ . }}, defaultMode: 0440}
    {{- end }}
    {{- if include "thole.account.mounted" . }}
    # The account's token and the cluster's CA. The kubelet renews the token.
    - name: account
      projected:
        defaultMode: 0440
        sources:
          - serviceAccountToken: {path: token}
          - configMap: {name: kube-root-ca.crt, items: [{key: ca.crt, path: ca.crt}]}
    {{- end }}
    {{- if .Values.audit.policy }}
    - name: audit
      configMap: {name: {{ include "thole.fullname" . }}-audit}
    {{- end }}
    {{- with .Values.audit.webhookSecret }}
    - name: audit-webhook
      secret: {secretName: {{ . }}, defaultMode: 0440}
    {{- end }}
    {{- if include "thole.frontProxy.fixed" . }}
    - name: front-proxy
      configMap:
        name: {{ get (include "thole.frontProxy" . | fromYaml) "configMap" }}
        items: [{key: requestheader-client-ca-file, path: ca.crt}]
    {{- end }}
    {{- if and (ne .Values.store.type "embedded") (include "thole.secret.etcdClient" .) }}
    - name: etcd
      secret: {secretName: {{ include "thole.secret.etcdClient" . }}, defaultMode: 0440}
    {{- end }}
    {{- with .Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{/* Scheduling of pods: (list root values component). */}}
{{- define "thole.placement" -}}
{{- $root := index . 0 -}}
{{- $of := index . 1 -}}
{{- with $root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $of.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $of.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $of.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $of.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
topologySpreadConstraints:
{{- with $root.Values.topologySpreadConstraints }}
  {{- toYaml . | nindent 2 }}
{{- else }}
{{- $component := index . 2 }}
{{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "thole.selector" $root | nindent 8 }}
        app.kubernetes.io/component: {{ $component }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The entry point of the image with the right to start workers: they are processes of the same program without that right. */}}
{{- define "thole.supervisor" -}}
- /bin/deno
- run
- --no-prompt
- --cached-only
- --allow-net
- --allow-read
- --allow-write
- --allow-run=/bin/deno
- --allow-sys=hostname,networkInterfaces,ca
- --ignore-env
- /thole/main.js
{{- end -}}
